import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { TaskEventKind } from "../../../../src/domain/kernel/TaskState.ts"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import {
  addEvent,
  analyse,
  compactHistory,
  computeTaskFields,
  countStarts,
  decode,
  emptyHistory,
  encode,
  type History,
  listRuns,
  type TaskEvent
} from "../../../../src/domain/tasks/TaskHistory.ts"
import { KEPT_RUNS, PAST_RUNS } from "../../../../src/domain/tasks/TaskHistory/Past.ts"
import { AGENT, dataOf, fold, timestamp } from "./Recorded.ts"

const MIDNIGHT = timestamp("2026-11-21T00:00:00Z")
const after = (seconds: number) => addSeconds(MIDNIGHT, seconds)

let counter = 0
const event = (kind: TaskEventKind, seconds: number, data: Record<string, unknown> = {}): TaskEvent => ({
  id: `event-${String(counter++).padStart(6, "0")}`,
  kind,
  engine: "bullmq",
  taskId: "nightly",
  occurredAt: after(seconds),
  agentId: AGENT,
  reporter: "",
  data: dataOf({ task_name: "report.build", ...data })
})

/** Received, started, retried now and then, ended: every third run fails, every fifth is retried. */
const runOf = (number: number): ReadonlyArray<TaskEvent> => {
  const at = number * 60
  return [
    event("task.received", at, { queue: "reports", args: [number] }),
    event("task.started", at + 1, { worker: "box@1" }),
    ...(number % 5 === 0 ? [event("task.retried", at + 2), event("task.started", at + 3, { worker: "box@2" })] : []),
    number % 3 === 0
      ? event("task.failed", at + 4, { exception: "ValueError: no figures" })
      : event("task.succeeded", at + 4, { runtime_ms: 2500, result: number })
  ]
}

const runsUpTo = (count: number): ReadonlyArray<TaskEvent> =>
  Array.from({ length: count }, (_, number) => runOf(number)).flat()

const compact = (history: History): History => compactHistory(history, analyse(history))

/** As the writer does it: a batch, stored without its oldest runs; read back, the next one. */
const foldInBatches = (events: ReadonlyArray<TaskEvent>, batch: number): History => {
  let text = encode(emptyHistory())
  for (let index = 0; index < events.length; index += batch) {
    const history = decode(text)
    for (const one of events.slice(index, index + batch)) assert.notStrictEqual(addEvent(history, one), "full")
    text = encode(compact(history))
  }
  return decode(text)
}

const rowOf = (...events: ReadonlyArray<TaskEvent>) => computeTaskFields(fold(events))

describe("runs of one id", () => {
  it("are attempts up to a final end, and the row shows the latest", () => {
    const history = fold(runsUpTo(6))
    assert.deepInclude(computeTaskFields(history), {
      state: "success",
      args: "[5]",
      result: "5",
      retry_count: 1,
      received_at: after(300),
      started_at: after(301.5), // the end less the reported runtime
      finished_at: after(304),
      first_event_at: after(300),
      worker_name: "box@2"
    })
    assert.deepStrictEqual(
      listRuns(history).items.map(({ attempts, number, retry_count, state }) => [number, state, attempts, retry_count]),
      [
        [6, "success", 2, 1],
        [5, "success", 1, 0],
        [4, "failure", 1, 0],
        [3, "success", 1, 0],
        [2, "success", 1, 0],
        [1, "failure", 2, 1]
      ]
    )
  })

  it("give one text and one row, whatever the order and the batches", () => {
    const events = runsUpTo(8)
    const expected = encode(fold(events))
    const shuffled = fc.shuffledSubarray([...events, ...events.slice(5, 20)], { minLength: events.length + 15 })
    fc.assert(
      fc.property(shuffled, fc.integer({ min: 1, max: 9 }), (order, batch) => {
        assert.strictEqual(encode(foldInBatches(order, batch)), expected)
      }),
      { numRuns: 100 }
    )
  })

  it("a retry that the engine announces begins no run, and a failure that it retries ends none", () => {
    const retried = [
      event("task.started", 1),
      event("task.failed", 2),
      event("task.retried", 2.1),
      event("task.started", 3)
    ]
    assert.strictEqual(listRuns(fold(retried)).total_count, 1)
    const restarted = [event("task.started", 1), event("task.failed", 2), event("task.started", 3)]
    assert.strictEqual(listRuns(fold(restarted)).total_count, 2)
  })

  it("one that was received and has not started is the latest, once no late report can be its receipt", () => {
    const first = [event("task.received", 0), event("task.started", 1), event("task.succeeded", 2)]
    assert.strictEqual(rowOf(...first, event("task.received", 60)).state, "success")
    assert.deepInclude(rowOf(...first, event("task.received", 63)), {
      state: "received",
      received_at: after(63),
      started_at: null,
      result: null,
      worker_name: null
    })
    // the receipt of a task whose worker is behind the host that published it
    assert.strictEqual(rowOf(event("task.received", 63), ...first.slice(1)).state, "success")
    const published = event("task.received", 63, { parent_task_id: "nightly" })
    assert.strictEqual(rowOf(...first, published).state, "success")
  })
})

describe("many runs of one id", () => {
  const events = runsUpTo(400)

  it("are bounded: the latest with their events, earlier ones with their outcome, the oldest by number", () => {
    const history = foldInBatches(events, 40)
    const { items, total_count } = listRuns(history)
    assert.strictEqual(total_count, 400)
    assert.strictEqual(items.length, KEPT_RUNS + PAST_RUNS)
    assert.deepInclude(items.at(-1), { number: 251, state: "success", attempts: 2, retry_count: 1 })
    assert.deepInclude(items.at(-2), { number: 252, state: "success", runtime_ms: 2500, worker_name: "box@1" })
    assert.deepInclude(items.at(-3), { number: 253, state: "failure" })
    assert.strictEqual(items.find(({ number }) => number === 256)?.retry_count, 1)
    assert.strictEqual(items.find(({ number }) => number === 259)?.exception, "ValueError: no figures")
    assert.isBelow(encode(history).length, 60_000)
  })

  it("leave the row as all events would, and one text whatever the batches", () => {
    const row = computeTaskFields(fold(events))
    const texts = [1, 3, 7, 400, 2000].map((batch) => {
      const history = foldInBatches(events, batch)
      assert.deepStrictEqual(computeTaskFields(history), row)
      return encode(history)
    })
    assert.strictEqual(new Set(texts).size, 1)
  })

  it("are the same where events come late within the runs that are kept, and where they come again", () => {
    const expected = encode(foldInBatches(events, 1))
    const delays = fc.array(fc.integer({ min: 0, max: 90 }), { minLength: events.length, maxLength: events.length })
    fc.assert(
      fc.property(delays, fc.integer({ min: 1, max: 50 }), (delay, batch) => {
        const late = events.map((one, index) => ({ one, at: index + delay[index]! })).sort((left, right) =>
          left.at - right.at
        )
        const order = late.flatMap(({ one }, index) => (index % 11 === 0 ? [one, events[index]!] : [one]))
        assert.strictEqual(encode(foldInBatches(order, batch)), expected)
      }),
      { numRuns: 10 }
    )
  })

  it("an event from before the kept runs is known", () => {
    const history = foldInBatches(events, 40)
    assert.strictEqual(addEvent(history, events[0]!), "duplicate")
    assert.strictEqual(addEvent(history, event("task.started", 30)), "duplicate")
  })
})

describe("one run with many attempts", () => {
  it("a task that retries without limit keeps its count of retries, and refuses nothing", () => {
    const events = [
      event("task.received", 0),
      ...Array.from({ length: 700 }, (_, attempt) => [
        event("task.started", attempt * 10 + 1),
        event("task.retried", attempt * 10 + 2)
      ]).flat(),
      event("task.started", 7001),
      event("task.failed", 7002, { exception: "ValueError" })
    ]
    const history = foldInBatches(events, 50)
    assert.deepInclude(computeTaskFields(history), {
      state: "failure",
      retry_count: 700,
      received_at: after(0),
      first_event_at: after(0),
      started_at: after(7001)
    })
    assert.strictEqual(countStarts(analyse(history).runs.at(-1)!), 701)
    assert.isBelow(history.entries.length, 400)
  })

  it("a task that is received again and again, and never starts, refuses nothing either", () => {
    const history = foldInBatches(Array.from({ length: 3000 }, (_, index) => event("task.received", index)), 200)
    assert.deepInclude(computeTaskFields(history), { state: "received", received_at: after(0) })
    assert.isBelow(history.entries.length, 700)
  })
})
