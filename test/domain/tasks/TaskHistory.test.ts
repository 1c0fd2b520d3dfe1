import { assert, describe, it } from "@effect/vitest"
import { AgentId } from "../../../src/domain/kernel/Id.ts"
import type { TaskEventKind } from "../../../src/domain/kernel/TaskState.ts"
import { addSeconds } from "../../../src/domain/kernel/Timestamp.ts"
import {
  addEvent,
  buildTimeline,
  computeTaskFields,
  countEnds,
  decode,
  emptyHistory,
  encode,
  MAX_ENTRIES,
  type TaskEvent,
  type TaskFields
} from "../../../src/domain/tasks/TaskHistory.ts"
import { idOf } from "../../ids.ts"
import { expected } from "./TaskHistory/Expected.ts"
import { AGENT, dataOf, fold, recorded, task, timestamp } from "./TaskHistory/Recorded.ts"

const START = timestamp("2026-11-21T06:00:00.000000Z")
const after = (seconds: number) => addSeconds(START, seconds)

const TASK = "0a1b2c3d-0000-4000-8000-000000000000"
const UNKNOWN = "<unknown:0a1b2c3d>"

let counter = 0
const event = (
  kind: TaskEventKind,
  seconds: number,
  data: Record<string, unknown> = {},
  rest: Partial<TaskEvent> = {}
): TaskEvent => ({
  id: `event-${String(counter++).padStart(6, "0")}`,
  kind,
  engine: "celery",
  taskId: TASK,
  occurredAt: after(seconds),
  agentId: AGENT,
  reporter: "",
  data: dataOf({ task_name: "mail.send", ...data }),
  ...rest
})

/** As the broker reports it: no name. */
const broker = (
  kind: TaskEventKind,
  seconds: number,
  data: Record<string, unknown> = {},
  rest: Partial<TaskEvent> = {}
) => event(kind, seconds, { task_name: UNKNOWN, worker: "w1", ...data }, rest)

const rowOf = (...events: ReadonlyArray<TaskEvent>): TaskFields => computeTaskFields(fold(events))

describe("recorded streams", () => {
  it.each(expected)("$sequence $task", ({ fields, sequence, task: id }) => {
    const row = computeTaskFields(fold(task(sequence, id).events))
    assert.deepStrictEqual({ ...row, ...fields }, row)
  })

  it("every task is expected by hand, but for those that only the broker saw", () => {
    const others = recorded.filter(({ sequence, taskId }) =>
      !expected.some((one) => one.sequence === sequence && taskId.startsWith(one.task))
    )
    assert.isAbove(others.length, 0)
    for (const { events, taskId } of others) {
      const { finished_at, name, received_at, runtime_ms, started_at, state } = computeTaskFields(fold(events))
      assert.deepStrictEqual(
        { finished_at, name, received_at, started_at, state },
        {
          finished_at: events[1]!.occurredAt,
          name: `<unknown:${taskId.slice(0, 8)}>`,
          received_at: null,
          started_at: addSeconds(events[1]!.occurredAt, -(runtime_ms ?? NaN) / 1000),
          state: "success"
        }
      )
    }
  })

  it("Celery's retry is waiting again once it was published again, though that came first", () => {
    const { events } = task("celery-prefork-with-E", "cf94acc6")
    assert.deepStrictEqual(
      events.map((_, index) => rowOf(...events.slice(0, index + 1)).state),
      ["received", "started", "started", "received", "started", "failure"]
    )
  })

  it("a retry that no worker received yet shows as retry", () => {
    const { events } = task("huey", "f62d4e2e")
    assert.deepStrictEqual(
      events.map((_, index) => rowOf(...events.slice(0, index + 1)).state),
      ["received", "started", "retry", "received", "received", "started", "failure"]
    )
  })

  it("Dramatiq's repeated received is no new attempt and its delay queue is not shown", () => {
    const { events } = task("dramatiq", "0e74922d")
    const rows = events.map((_, index) => rowOf(...events.slice(0, index + 1)))
    assert.deepStrictEqual(
      rows.map(({ state }) => state),
      ["received", "started", "started", "retry", "retry", "started", "failure"]
    )
    assert.deepStrictEqual(new Set(rows.map(({ queue }) => queue)), new Set(["default"]))
    assert.strictEqual(rowOf(events[2]!).queue, "default")
  })
})

describe("attempts", () => {
  const solo = [event("task.started", 1), event("task.retried", 1.01, { reason: "KeyError('x')" })]

  it("of one task may run where only one of the two paths exists", () => {
    const row = rowOf(
      ...solo,
      broker("task.started", 1.05),
      broker("task.retried", 1.06),
      broker("task.started", 3, { worker: "w2" }),
      broker("task.failed", 4, { worker: "w2", exception: "KeyError", exception_message: "KeyError('x')" })
    )
    assert.deepInclude(row, { state: "failure", retry_count: 1, started_at: after(3), worker_name: "w2" })
    assert.deepInclude(row, { exception: "KeyError('x')", runtime_ms: 1000 })
  })

  it("the second path may be later than the task is long", () => {
    const row = rowOf(
      event("task.started", 1),
      event("task.succeeded", 61),
      broker("task.started", 61.1),
      broker("task.succeeded", 61.2, { runtime_ms: 60_000 })
    )
    assert.deepInclude(row, { state: "success", started_at: after(1), finished_at: after(61), runtime_ms: 60_000 })
  })

  it("the path that saw more decides where the other one missed the beginning", () => {
    const row = rowOf(
      broker("task.started", 1),
      broker("task.retried", 2),
      broker("task.started", 3),
      event("task.started", 2.95),
      event("task.failed", 3.5)
    )
    assert.deepInclude(row, { state: "failure", retry_count: 1, started_at: after(2.95), finished_at: after(3.5) })
  })

  it("what the last attempt did not report is not taken from an earlier one", () => {
    const first = [event("task.started", 1), event("task.failed", 2, { exception: "E", traceback: "T", runtime_ms: 9 })]
    assert.deepInclude(rowOf(...first), { exception: "E", traceback: "T", runtime_ms: 9 })
    assert.deepInclude(rowOf(...first, event("task.started", 3)), {
      state: "started",
      exception: null,
      traceback: null,
      runtime_ms: null,
      finished_at: null
    })
    assert.deepInclude(rowOf(...first, event("task.started", 3), event("task.failed", 4, { exception: "F" })), {
      exception: "F",
      traceback: null,
      runtime_ms: 1000
    })
  })

  it("a start after a success shows no result until it succeeds again", () => {
    const first = [event("task.started", 1), event("task.succeeded", 2, { result: 5 })]
    assert.strictEqual(rowOf(...first).result, "5")
    assert.deepInclude(rowOf(...first, event("task.started", 3)), { state: "started", result: null, retry_count: 0 })
  })

  it("a retry revoked before it starts has no start", () => {
    const row = rowOf(...solo, event("task.revoked", 5, { terminated: false }))
    assert.deepInclude(row, { state: "revoked", retry_count: 1, started_at: null, finished_at: after(5) })
  })

  it("re-publications count where Celery reports no starts, each moment once", () => {
    const again = { parent_task_id: TASK, root_task_id: TASK }
    const row = rowOf(
      event("task.received", 1, { root_task_id: TASK }),
      event("task.received", 2, again),
      event("task.received", 2, again),
      event("task.received", 3, again)
    )
    assert.deepInclude(row, { state: "received", retry_count: 2, parent_task_id: null, root_task_id: null })
  })

  it.each<[data: Record<string, unknown>, args: string | null, kwargs: string | null]>([
    [{ args: [1], kwargs: {} }, "[1]", "{}"],
    [{ args: [1] }, "[1]", "{}"],
    [{ kwargs: { a: 1 }, args: null }, "[]", "{\"a\":1}"],
    [{ args: null, kwargs: null }, null, null],
    [{}, null, null]
  ])("of an event with %j has the arguments that it had, and null only where none are known", (data, args, kwargs) => {
    assert.deepInclude(rowOf(event("task.received", 1, data), event("task.started", 2)), { args, kwargs })
  })

  it("takes the start from the end and the reported runtime, also where the start was not reported", () => {
    const ended = event("task.succeeded", 2, { runtime_ms: 250.4 })
    const expected = { started_at: after(1.75), finished_at: after(2), runtime_ms: 250 }
    assert.deepInclude(rowOf(event("task.started", 1), ended), expected)
    assert.deepInclude(rowOf(ended), expected)
    assert.deepInclude(rowOf(event("task.started", 1), ended, event("task.started", 3)), {
      started_at: after(3),
      runtime_ms: null
    })
    for (const data of [{}, { runtime_ms: 1e300 }]) {
      assert.deepInclude(rowOf(event("task.started", 1), event("task.succeeded", 2, data)), {
        started_at: after(1),
        runtime_ms: 1000
      })
    }
  })

  it("the later of two ends without a start between them has the last word", () => {
    const row = rowOf(event("task.started", 1), event("task.failed", 2), event("task.revoked", 3))
    assert.deepInclude(row, { state: "revoked", started_at: after(1), finished_at: after(3) })
  })

  it("clocks that disagree give no runtime", () => {
    assert.strictEqual(rowOf(event("task.started", 2), event("task.succeeded", 1.5)).runtime_ms, null)
  })

  it("before any attempt: pending, received, unknown", () => {
    assert.strictEqual(rowOf(event("task.sent", 1)).state, "pending")
    assert.strictEqual(rowOf(event("task.sent", 1), event("task.received", 2)).state, "received")
    assert.strictEqual(rowOf(event("unknown", 1)).state, "unknown")
    assert.deepInclude(rowOf(event("task.received", 1), event("task.rejected", 2)), { state: "rejected" })
  })

  it("ends are counted by kind", () => {
    const history = fold([...solo, broker("task.retried", 1.1), event("task.started", 3), event("task.succeeded", 4)])
    assert.deepStrictEqual(countEnds(history), {
      "task.retried": 1,
      "task.succeeded": 1,
      "task.failed": 0,
      "task.revoked": 0,
      "task.rejected": 0
    })
  })
})

describe("an end before its start, on a busy stream", () => {
  const named = event("task.failed", 2, { exception: "WorkerLostError", exception_message: "exitcode 1" })
  const late = [broker("task.started", 2.1), broker("task.failed", 2.3, { exception: "ExceptionWithTraceback" })]

  it("is the later of its two copies, with what the named one reports", () => {
    const row = rowOf(named, ...late)
    assert.deepInclude(row, { state: "failure", started_at: after(2.1), finished_at: after(2.3) })
    assert.strictEqual(row.exception, "WorkerLostError: exitcode 1")
    assert.deepInclude(rowOf(named, late[0]!), { state: "failure", started_at: after(2.1), runtime_ms: null })
  })

  it("counts once for its worker", () => {
    assert.deepInclude(countEnds(fold([named, ...late])), { "task.failed": 1 })
  })
})

describe("what was found out of a task without an end", () => {
  const outcomeEvent = (seconds: number, data: Record<string, unknown>) =>
    event("task.reconciled", seconds, { task_name: null, engine_state: "pending", ...data })
  const lost = outcomeEvent(600, { outcome: "unknown", exception: "Outcome unknown: worker w1 no longer runs it." })

  it("is its state, while no event ends the attempt or begins another", () => {
    assert.deepInclude(rowOf(broker("task.started", 1), lost), {
      state: "unknown",
      exception: "Outcome unknown: worker w1 no longer runs it.",
      started_at: after(1),
      finished_at: null
    })
    for (const later of [broker("task.failed", 2), broker("task.succeeded", 700), broker("task.started", 700)]) {
      const row = rowOf(broker("task.started", 1), lost, later)
      assert.notStrictEqual(row.state, "unknown")
      assert.strictEqual(row.exception, row.state === "started" ? "Worker lost: 2 starts, no end" : null)
    }
  })

  it("may be an end, with its moment", () => {
    const ended = outcomeEvent(600, { outcome: "success", finished_at: after(5) })
    const row = rowOf(broker("task.started", 1), ended)
    assert.deepInclude(row, { state: "success", finished_at: after(5), exception: null })
    assert.deepInclude(countEnds(fold([broker("task.started", 1), ended])), { "task.succeeded": 0 })
  })

  it("says nothing of a task that never started", () => {
    assert.strictEqual(rowOf(event("task.received", 1), lost).state, "received")
  })
})

describe("several agent processes on one broker", () => {
  const process = (reporter: string, shift: number) => [
    broker("task.started", 1 + shift, {}, { reporter }),
    broker("task.retried", 1.2 + shift, {}, { reporter }),
    broker("task.started", 1.3 + shift, {}, { reporter }),
    broker("task.failed", 1.4 + shift, {}, { reporter })
  ]

  it("report each attempt once, however late one of them is", () => {
    for (const shift of [0, 0.15, 3, 59]) {
      const row = rowOf(...process("a", 0), ...process("b", shift), ...process("c", shift / 2))
      assert.deepInclude(row, { state: "failure", retry_count: 1, started_at: after(1.3), finished_at: after(1.4) })
    }
  })

  it("of which one missed the beginning or the end change nothing", () => {
    for (const part of [process("b", 0.05).slice(2), process("b", 0.05).slice(0, 2), process("b", 0.05).slice(1, 3)]) {
      const row = rowOf(...process("a", 0), ...part)
      assert.deepInclude(row, { state: "failure", retry_count: 1, started_at: after(1.3), finished_at: after(1.4) })
    }
  })

  it("a process that started later reports other attempts", () => {
    const since = (seconds: number) => `bare-7-${Date.parse(after(seconds))}`
    const row = rowOf(
      broker("task.started", 1, {}, { reporter: since(0) }),
      broker("task.retried", 2, {}, { reporter: since(0) }),
      broker("task.started", 12, {}, { reporter: since(10) }),
      broker("task.retried", 13, {}, { reporter: since(10) })
    )
    assert.strictEqual(row.retry_count, 2)
  })

  it("an event of an adopted buffer is of the process with the smaller name, in any order", () => {
    const one = broker("task.started", 1, {}, { reporter: "b" })
    const again = { ...one, reporter: "a" }
    assert.strictEqual(encode(fold([one, again])), encode(fold([again, one])))
    assert.strictEqual(encode(fold([one, again])), encode(fold([again])))
  })
})

describe("fields", () => {
  it("an unknown name never replaces a known one, whichever comes first", () => {
    assert.strictEqual(rowOf(event("task.received", 1), broker("task.started", 2)).name, "mail.send")
    assert.strictEqual(rowOf(broker("task.started", 2), event("task.received", 1)).name, "mail.send")
    assert.strictEqual(rowOf(broker("task.started", 2)).name, UNKNOWN)
    assert.strictEqual(rowOf(event("task.started", 2, { task_name: null })).name, UNKNOWN)
  })

  it("JSON values keep their digits", () => {
    const data = new Map([
      ["task_name", "\"t\""],
      ["args", "[1.0,1e-07,12345678901234567890]"],
      ["kwargs", "\"[REDACTED]\""],
      ["result", "1.0"]
    ])
    const history = decode(encode(fold([event("task.succeeded", 1, {}, { data })])))
    assert.deepInclude(computeTaskFields(history), {
      args: "[1.0,1e-07,12345678901234567890]",
      kwargs: "\"[REDACTED]\"",
      result: "1.0"
    })
    assert.strictEqual(buildTimeline(history)[0]!.payload, "{\"task_name\":\"t\",\"result\":1.0}")
  })

  it("a task that returned nothing has no result, though the broker says None", () => {
    const row = rowOf(event("task.succeeded", 1, { result: null }), broker("task.succeeded", 1.01, { result: "None" }))
    assert.strictEqual(row.result, null)
  })

  it.each(
    [
      ["celery", "task.failed", { exception: "KeyError", exception_message: "'x'" }, "KeyError: 'x'"],
      ["celery", "task.failed", { exception: "KeyError", exception_message: "KeyError('x')" }, "KeyError('x')"],
      ["celery", "task.failed", { exception: "KeyError", exception_message: "" }, "KeyError"],
      ["celery", "task.retried", { reason: "KeyError('x')" }, "KeyError('x')"],
      ["huey", "task.failed", { reason: "timeout" }, "timeout"],
      ["huey", "task.failed", { exception: "ValueError: a\nb" }, "ValueError: a\nb"],
      ["rq", "task.failed", { exception: "Traceback (most recent call last):\n  x\nValueError: r\n" }, "ValueError: r"],
      [
        "rq",
        "task.failed",
        {
          exception: "Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in a\n  File \"/sr…[truncated]"
        },
        "[unknown: the traceback was cut before its exception]"
      ],
      [
        "rq",
        "task.failed",
        {
          exception: "Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in a\n    pay(",
          exception_message: "ValueError: r"
        },
        "ValueError: r"
      ],
      [
        "rq",
        "task.failed",
        { exception: "Traceback (most recent call last):\n  x\nValueError: r\n  s" },
        "ValueError: r"
      ],
      ["rq", "task.failed", { exception: "[REDACTED]" }, "[REDACTED]"]
    ] as const
  )("%s %s has its exception as one text", (engine, kind, data, text) => {
    assert.strictEqual(rowOf(event(kind, 1, data, { engine })).exception, text)
  })

  it("priority, tags and eta are taken when they are what they should be", () => {
    assert.deepInclude(rowOf(event("task.received", 1, { priority: "high", tags: ["a", 1, "b"] })), {
      priority: "high",
      tags: ["a", "b"]
    })
    const eta = timestamp("2026-12-01T10:00:00.000000Z")
    assert.strictEqual(rowOf(event("task.received", 1, { eta: "2026-12-01T11:00:00+01:00" })).eta, eta)
    assert.deepInclude(rowOf(event("task.received", 1, { priority: 7, tags: "a", eta: 12, queue: "" })), {
      priority: "normal",
      tags: [],
      eta: null,
      queue: null
    })
  })

  it("the process that enqueued is not the worker", () => {
    const received = event("task.received", 1, { worker: "web@1" }, { engine: "dramatiq" })
    assert.strictEqual(rowOf(received).worker_name, null)
  })

  it("a parent is another task", () => {
    assert.deepInclude(rowOf(event("task.received", 1, { parent_task_id: "p", root_task_id: "r" })), {
      parent_task_id: "p",
      root_task_id: "r"
    })
  })
})

describe("keeping", () => {
  it("one broker event that agents see differently is one entry, in any order", () => {
    const seen = (id: string, data: Record<string, unknown>) =>
      event("task.succeeded", 1, {}, {
        id,
        agentId: idOf(AgentId, `agent-${id}`),
        data: dataOf({ task_name: UNKNOWN, ...data })
      })
    const copies = [seen("b", { result: "'5'" }), seen("a", { queue: "q" }), seen("c", { result: "[REDACTED]" })]
    const texts = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1]].map((order) =>
      encode(fold(order.map((index) => copies[index]!)))
    )
    assert.strictEqual(new Set(texts).size, 1)
    const history = decode(texts[0]!)
    assert.deepInclude(computeTaskFields(history), { queue: "q", result: "\"'5'\"" })
    assert.deepStrictEqual(buildTimeline(history).map(({ agentId, id }) => [id, agentId]), [["a", "agent-a"]])
    assert.deepStrictEqual(copies.map((copy) => addEvent(history, copy)), ["duplicate", "duplicate", "duplicate"])
  })

  it("a re-sent event is a duplicate", () => {
    const sent = event("task.received", 1)
    const history = decode(encode(fold([sent])))
    assert.strictEqual(addEvent(history, sent), "duplicate")
  })

  it("a kind is stored as the number that it has in the databases there are", () => {
    const kinds: ReadonlyArray<TaskEventKind> = [
      "unknown",
      "task.sent",
      "task.received",
      "task.started",
      "task.retried",
      "task.succeeded",
      "task.failed",
      "task.revoked",
      "task.rejected"
    ]
    const numbers = kinds.map((kind): number => JSON.parse(encode(fold([event(kind, 1)])))[2][1])
    assert.deepStrictEqual(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it("the timeline is in order and has small values only", () => {
    const long = "x".repeat(1100)
    const history = fold([
      event("task.failed", 3, { exception: "E", traceback: "T", signum: null, description: long }),
      event("task.received", 1, { args: [1], kwargs: {}, queue: "mail" }),
      event("task.started", 2, { worker: "w1" })
    ])
    assert.deepStrictEqual(buildTimeline(history).map(({ kind, payload }) => [kind, payload]), [
      ["task.received", "{\"task_name\":\"mail.send\",\"queue\":\"mail\"}"],
      ["task.started", "{\"task_name\":\"mail.send\",\"worker\":\"w1\"}"],
      ["task.failed", "{\"task_name\":\"mail.send\",\"exception\":\"E\"}"]
    ])
  })

  it("only the latest of a big value is kept", () => {
    const big = (seconds: number) => event("task.received", seconds, { args: ["y".repeat(10_000)] })
    const text = encode(fold([big(1), big(2), big(3)]))
    assert.isBelow(text.length, 11_000)
  })

  it("many small fields are truncated, too", () => {
    const data = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field${index}`, index]))
    assert.isBelow(encode(fold([event("task.received", 1, data)])).length, 3000)
  })

  it("is full after the limit, but an end still gets in", () => {
    const history = emptyHistory()
    for (let count = 0; count < MAX_ENTRIES; count++) addEvent(history, event("task.started", count))
    assert.strictEqual(addEvent(history, event("task.started", 5000)), "full")
    assert.strictEqual(addEvent(history, event("task.succeeded", 5001)), "applied")
    assert.strictEqual(computeTaskFields(history).state, "success")
    for (let count = 0; count < 23; count++) addEvent(history, event("task.failed", 6000 + count))
    assert.strictEqual(addEvent(history, event("task.failed", 7000)), "full")
    assert.strictEqual(history.entries.length, MAX_ENTRIES + 24)
  })

  it("text of another form is a defect", () => {
    assert.throws(() => decode("[2,[],[],[]]"), "unknown form of task history: 2")
  })
})
