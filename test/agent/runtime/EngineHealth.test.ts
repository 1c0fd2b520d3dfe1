import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Engine, WorkerInventory } from "../../../src/agent/runtime/Engine.ts"
import { makeEngineHealth } from "../../../src/agent/runtime/EngineHealth.ts"
import { make } from "../../../src/domain/kernel/Redaction.ts"
import { readAdapterHealth } from "../../../src/services/agents/Presence/AdapterHealth.ts"

const worker = (name: string, tasks: Pick<WorkerInventory, "activeTasks" | "activeTaskIds">): WorkerInventory => ({
  name,
  hostname: "here",
  pid: process.pid,
  concurrency: 4,
  queues: ["default"],
  registered: [],
  ...tasks
})

const engine = (workers: ReadonlyArray<WorkerInventory>): Engine => ({
  name: "jobs",
  start: () => Effect.void,
  actions: {},
  retriesByReference: false,
  inventory: Effect.succeed({ brokerType: "none", brokerConnected: true, queueDepths: {}, workers }),
  reconcile: () => Effect.succeed({ engine_state: "unknown", finished_at: null, exception: null })
})

it.scoped("a heartbeat lists the running tasks; of an engine that only counts them it gives the brain no list", () =>
  Effect.gen(function*() {
    const redaction = make([])
    const workers = [
      worker("busy", { activeTasks: 2, activeTaskIds: ["a", "b"] }),
      worker("idle", { activeTasks: 0, activeTaskIds: [] }),
      worker("counted", { activeTasks: 3 }),
      worker("countedIdle", { activeTasks: 0 })
    ]
    const health = yield* yield* makeEngineHealth([engine(workers)], redaction, () => undefined)
    const report = readAdapterHealth(health, redaction)
    assert.deepStrictEqual(
      report.workers.map(({ active_tasks, metadata, name }) => [name, active_tasks, metadata.active_task_ids]),
      [["busy", 2, ["a", "b"]], ["idle", 0, []], ["counted", 3, null], ["countedIdle", 0, null]]
    )
    for (const { metadata } of report.workers) assert.isNumber(metadata.uptime_seconds)
  }))
