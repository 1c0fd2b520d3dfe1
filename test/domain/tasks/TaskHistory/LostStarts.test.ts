import { assert, describe, it } from "@effect/vitest"
import type { TaskEventKind } from "../../../../src/domain/kernel/TaskState.ts"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import {
  analyse,
  computeTaskFields,
  countRuns,
  listFailedAttempts,
  type TaskEvent
} from "../../../../src/domain/tasks/TaskHistory.ts"
import { AGENT, dataOf, fold, timestamp } from "./Recorded.ts"

const NOON = timestamp("2026-11-21T12:00:00Z")
const after = (seconds: number) => addSeconds(NOON, seconds)

let counter = 0
const event = (kind: TaskEventKind, seconds: number, worker: string | null): TaskEvent => ({
  id: `event-${String(counter++).padStart(6, "0")}`,
  kind,
  engine: "celery",
  taskId: "poison",
  occurredAt: after(seconds),
  agentId: AGENT,
  reporter: "",
  data: dataOf({ task_name: "shop.import", worker })
})

const lostOf = (...events: ReadonlyArray<TaskEvent>) => {
  const history = fold(events)
  return listFailedAttempts(history, analyse(history)).filter(({ isLost }) => isLost).map(({ at }) => at)
}

const starts = (count: number, worker = "w1") =>
  Array.from({ length: count }, (_, number) => event("task.started", number, worker))

describe("starts without ends", () => {
  it("are counted, and the task says so while it has no end", () => {
    const events = starts(12)
    assert.deepInclude(computeTaskFields(fold(events)), {
      state: "started",
      retry_count: 0,
      exception: "Worker lost: 12 starts, no end"
    })
    assert.deepStrictEqual(countRuns(fold(events)), { attempts: 12, run_count: 1 })
    assert.strictEqual(lostOf(...events).length, 11)
    const ended = [...events, event("task.succeeded", 20, "w1")]
    assert.deepInclude(computeTaskFields(fold(ended)), { state: "success", exception: null })
    assert.deepStrictEqual(countRuns(fold(ended)), { attempts: 12, run_count: 1 })
  })

  it("are failures of their task from the second start of a worker on", () => {
    assert.deepStrictEqual(lostOf(...starts(1)), [])
    assert.deepStrictEqual(lostOf(...starts(2)), [after(1)])
  })

  it("of another worker count once an end can no longer be on its way", () => {
    const first = event("task.started", 0, "w1")
    assert.deepStrictEqual(lostOf(first, event("task.started", 1, "w2")), [])
    assert.deepStrictEqual(lostOf(first, event("task.started", 10, "w2")), [after(10)])
    assert.deepStrictEqual(lostOf(first, event("task.started", 1, "w2"), event("task.started", 2, "w3")), [after(1)])
    assert.deepStrictEqual(lostOf(first, event("task.retried", 0.5, "w1"), event("task.started", 10, "w2")), [])
  })
})
