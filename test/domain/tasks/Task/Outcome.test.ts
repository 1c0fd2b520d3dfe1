import { assert, describe, it } from "vitest"
import type { Timestamp } from "../../../../src/domain/kernel/Timestamp.ts"
import { inferOutcome, type ReconciledState } from "../../../../src/domain/tasks/Task/Outcome.ts"

const since = "2026-01-31T09:26:53.589793Z" as Timestamp // a canonical time
const engineSays = (engine_state: ReconciledState["engine_state"]): ReconciledState => ({
  engine_state,
  finished_at: null,
  exception: null
})

describe("the outcome of a task without an end", () => {
  it("is not concluded from a worker's list while an engine that knows its tasks holds the task for a process", () => {
    const worker = { name: "payments", activeTaskIds: new Set(["another"]), silentSince: null }
    const infer = (engine: string, state: ReconciledState["engine_state"], of = worker) =>
      inferOutcome(engineSays(state), { engine, task_id: "t" }, of)?.outcome
    assert.isUndefined(infer("effect-queue", "started"), "another process with the same worker name may run it")
    assert.isUndefined(infer("bullmq", "started"))
    assert.strictEqual(infer("effect-queue", "pending"), "unknown")
    assert.strictEqual(infer("celery", "started"), "unknown", "Celery's result backend keeps STARTED permanently")
    const silent = inferOutcome(engineSays("started"), { engine: "bullmq", task_id: "t" }, {
      ...worker,
      silentSince: since
    })
    assert.include(silent?.exception, `has been silent since ${since}`)
  })
})
