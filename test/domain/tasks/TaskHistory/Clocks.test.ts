import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { TaskEventKind } from "../../../../src/domain/kernel/TaskState.ts"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import {
  computeTaskFields,
  countEnds,
  encode,
  listRuns,
  type TaskEvent
} from "../../../../src/domain/tasks/TaskHistory.ts"
import { AGENT, dataOf, fold, timestamp } from "./Recorded.ts"

const NOON = timestamp("2026-11-21T12:00:00Z")
const after = (seconds: number) => addSeconds(NOON, seconds)

let counter = 0
const event = (kind: TaskEventKind, seconds: number, data: Record<string, unknown> = {}): TaskEvent => ({
  id: `event-${String(counter++).padStart(6, "0")}`,
  kind,
  engine: "rq",
  taskId: "mail",
  occurredAt: after(seconds),
  agentId: AGENT,
  reporter: "",
  data: dataOf({ task_name: "shop.mail", ...data })
})

const rowOf = (...events: ReadonlyArray<TaskEvent>) => computeTaskFields(fold(events))

describe("an end before its start", () => {
  it("is its end: the clock was set back 5 s in between", () => {
    const row = rowOf(event("task.received", 9), event("task.started", 10), event("task.succeeded", 6, { result: 1 }))
    assert.deepInclude(row, { state: "success", started_at: after(10), finished_at: after(6), result: "1" })
    assert.deepInclude(rowOf(event("task.started", 10), event("task.failed", 6, { exception: "E" })), {
      state: "failure",
      exception: "E"
    })
  })

  it("is its end: the worker's host is 0.3 s behind the one that reports the start", () => {
    const events = [event("task.received", 10.3), event("task.started", 10.35), event("task.succeeded", 10.1)]
    assert.deepInclude(rowOf(...events), { state: "success", retry_count: 0 })
    assert.strictEqual(listRuns(fold(events)).total_count, 1)
  })

  it("of a later run, and after a retry", () => {
    const first = [event("task.started", 0), event("task.succeeded", 1)]
    const events = [...first, event("task.failed", 59.8, { exception: "E" }), event("task.started", 60)]
    assert.deepInclude(rowOf(...events), { state: "failure", exception: "E", started_at: after(60) })
    assert.deepStrictEqual(listRuns(fold(events)).items.map(({ state }) => state), ["failure", "success"])
    const retried = [
      event("task.started", 0),
      event("task.retried", 1),
      event("task.succeeded", 2),
      event("task.started", 2.3)
    ]
    assert.deepInclude(rowOf(...retried), { state: "success", retry_count: 1, started_at: after(2.3) })
  })

  it("belongs to no start that has an end, that is over a minute later, or that follows a revocation", () => {
    assert.strictEqual(rowOf(event("task.failed", 0), event("task.started", 61)).state, "started")
    assert.strictEqual(rowOf(event("task.revoked", 0), event("task.started", 1)).state, "started")
    assert.strictEqual(
      rowOf(event("task.started", 0), event("task.failed", 1), event("task.started", 2)).state,
      "started"
    )
    const restarted = [event("task.failed", 0), event("task.started", 1), event("task.succeeded", 2)]
    assert.deepInclude(countEnds(fold(restarted)), { "task.failed": 1, "task.succeeded": 1 })
    assert.strictEqual(listRuns(fold(restarted)).total_count, 2)
  })

  it("gives one row, whatever the order of arrival", () => {
    const events = [
      event("task.started", 0),
      event("task.succeeded", 1),
      event("task.succeeded", 59.8),
      event("task.started", 60),
      event("task.retried", 61),
      event("task.failed", 62),
      event("task.started", 62.2)
    ]
    const expected = [encode(fold(events)), JSON.stringify(rowOf(...events))]
    const shuffled = fc.shuffledSubarray(events, { minLength: events.length })
    fc.assert(fc.property(shuffled, (order) => {
      assert.deepStrictEqual([encode(fold(order)), JSON.stringify(rowOf(...order))], expected)
    }))
  })
})

describe("the engine's result", () => {
  const outcomeEvent = (outcome: string) =>
    event("task.reconciled", 600, { outcome, engine_state: outcome, finished_at: after(3) })
  const started = event("task.started", 0)

  it("ends a task that waits for a retry, by the events of two clocks", () => {
    const skewed = [event("task.started", -8), event("task.succeeded", -7), started, event("task.retried", 1)]
    assert.strictEqual(rowOf(...skewed).state, "retry")
    assert.deepInclude(rowOf(...skewed, outcomeEvent("success")), {
      state: "success",
      finished_at: after(3),
      exception: null
    })
    assert.strictEqual(rowOf(...skewed, outcomeEvent("unknown")).state, "retry")
  })

  it("ends a task that waits, unless the end is of an earlier attempt: another clock may be a minute behind", () => {
    const received = event("task.received", 70)
    const endedAt = (seconds: number) =>
      event("task.reconciled", 600, { outcome: "success", engine_state: "success", finished_at: after(seconds) })
    assert.strictEqual(rowOf(received, endedAt(10)).state, "success")
    assert.strictEqual(rowOf(received, endedAt(9)).state, "received")
    assert.strictEqual(rowOf(started, event("task.retried", 70), endedAt(10)).state, "success")
    assert.strictEqual(rowOf(started, event("task.retried", 70), endedAt(9)).state, "retry")
    assert.strictEqual(rowOf(received, endedAt(71), event("task.received", 700)).state, "received")
  })

  it("that the outcome is unknown counts for the wait that it was asked about", () => {
    const unknownSince = (seconds: number) =>
      event("task.reconciled", 600, { outcome: "unknown", engine_state: "pending", waiting_since: after(seconds) })
    const [received, retried] = [event("task.received", -1), event("task.retried", 70)]
    assert.strictEqual(rowOf(received, unknownSince(-1)).state, "unknown")
    assert.strictEqual(rowOf(received, started, retried, unknownSince(70)).state, "unknown")
    assert.strictEqual(rowOf(received, started, retried, unknownSince(-1)).state, "retry")
    assert.strictEqual(rowOf(received, unknownSince(-1), started).state, "unknown")
    assert.strictEqual(rowOf(received, unknownSince(-1), event("task.started", 700)).state, "started")
  })

  it("decides between ends that contradict each other, but not against a later end or start", () => {
    const failed = event("task.failed", 1, { exception: "E" })
    assert.deepInclude(rowOf(started, failed, outcomeEvent("success")), {
      state: "success",
      exception: null,
      runtime_ms: null
    })
    assert.deepInclude(rowOf(started, failed, outcomeEvent("failure")), {
      state: "failure",
      exception: "E",
      runtime_ms: 1000
    })
    assert.strictEqual(rowOf(started, event("task.failed", 700), outcomeEvent("success")).state, "failure")
    assert.strictEqual(rowOf(started, event("task.revoked", 1), outcomeEvent("failure")).state, "revoked")
    assert.strictEqual(rowOf(started, failed, outcomeEvent("success"), event("task.started", 700)).state, "started")
  })
})
