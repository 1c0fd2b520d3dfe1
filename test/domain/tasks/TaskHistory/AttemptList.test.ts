import { assert, describe, it } from "vitest"
import type { TaskEventKind } from "../../../../src/domain/kernel/TaskState.ts"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import { computeTaskFields, describeLatestRun, type TaskEvent } from "../../../../src/domain/tasks/TaskHistory.ts"
import { AGENT, dataOf, fold, recorded, timestamp } from "./Recorded.ts"

const start = timestamp("2026-11-21T06:00:00.000000Z")
const after = (seconds: number) => addSeconds(start, seconds)

type Row = readonly [kind: TaskEventKind, seconds: number, data?: Record<string, unknown>]

const events = (...rows: ReadonlyArray<Row>): ReadonlyArray<TaskEvent> =>
  rows.map(([kind, seconds, data = {}], index) => ({
    id: `event-${String(index).padStart(4, "0")}`,
    kind,
    engine: "effect-queue",
    taskId: "t",
    occurredAt: after(seconds),
    agentId: AGENT,
    reporter: "",
    data: dataOf({ task_name: "payment.charge", worker: "w1", ...data })
  }))

const timeout = { exception: "GatewayTimeout", exception_message: "no answer" }

describe("the attempts of a run", () => {
  it("each has its own state, times, run time and exception, and the queue time ends with the first start", () => {
    const { attempt_list, first_started_at } = describeLatestRun(fold(events(
      ["task.received", 0],
      ["task.started", 0.056],
      ["task.retried", 2.056, { ...timeout, runtime_ms: 2000 }],
      ["task.started", 2.06],
      ["task.retried", 3.06, { reason: "the worker stopped", worker: "w2" }],
      ["task.started", 3.85],
      ["task.succeeded", 9.35, { runtime_ms: 5500, result: 1 }]
    )))
    assert.strictEqual(first_started_at, after(0.056))
    assert.deepStrictEqual(attempt_list, [
      {
        number: 1,
        state: "failure",
        started_at: after(0.056),
        finished_at: after(2.056),
        runtime_ms: 2000,
        worker_name: "w1",
        exception: "GatewayTimeout: no answer"
      },
      {
        number: 2,
        state: "retry",
        started_at: after(2.06),
        finished_at: after(3.06),
        runtime_ms: 1000,
        worker_name: "w2",
        exception: "the worker stopped"
      },
      {
        number: 3,
        state: "success",
        started_at: after(3.85),
        finished_at: after(9.35),
        runtime_ms: 5500,
        worker_name: "w1",
        exception: null
      }
    ])
  })

  it("the last one is still open, was revoked, or ended with a retry that has not begun", () => {
    const states = (...rows: ReadonlyArray<Row>) =>
      describeLatestRun(fold(events(["task.received", 0], ["task.started", 1], ...rows))).attempt_list
        .map(({ finished_at, state }) => [state, finished_at])
    assert.deepStrictEqual(states(), [["started", null]])
    assert.deepStrictEqual(states(["task.revoked", 2, { terminated: true }]), [["revoked", after(2)]])
    assert.deepStrictEqual(states(["task.retried", 2, timeout]), [["failure", after(2)]])
    assert.deepStrictEqual(states(["task.retried", 2, timeout], ["task.received", 2.1]), [["failure", after(2)]])
    assert.deepStrictEqual(describeLatestRun(fold(events(["task.received", 0]))), {
      first_started_at: null,
      attempt_list: []
    })
    assert.deepStrictEqual(states(["task.succeeded", 2], ["task.received", 90]), [], "a new run waits")
  })

  it("Celery's retry failed where its reason has an exception, and an attempt that lost its worker failed", () => {
    const ofReason = (reason: string) =>
      describeLatestRun(fold(events(["task.started", 1], ["task.retried", 2, { reason }]))).attempt_list[0]?.state
    assert.strictEqual(ofReason("Retry in 3s: ValueError('no')"), "failure")
    assert.strictEqual(ofReason("Retry at 2026-11-21 06:00:07+00:00: ValueError('no')"), "failure")
    assert.strictEqual(ofReason("Retry in 3s"), "retry")
    const { attempt_list } = describeLatestRun(fold(events(["task.started", 1], ["task.started", 40])))
    assert.deepInclude(attempt_list[0], { state: "failure", finished_at: null, exception: "Worker lost" })
    assert.deepInclude(attempt_list[1], { number: 2, state: "started" })
  })

  it("of every recorded task the last attempt is as the row shows it", () => {
    for (const { events, taskId } of recorded) {
      const history = fold(events)
      const { finished_at, runtime_ms, started_at, state } = computeTaskFields(history)
      const { attempt_list, first_started_at } = describeLatestRun(history)
      const last = attempt_list.at(-1)
      if (last === undefined || state === "retry" || state === "received") continue
      const { finished_at: ended, runtime_ms: ran, started_at: began, state: shown } = last
      assert.deepStrictEqual([shown, began, ended, ran], [state, started_at, finished_at, runtime_ms], taskId)
      assert.strictEqual(first_started_at, attempt_list[0]?.started_at)
    }
  })
})
