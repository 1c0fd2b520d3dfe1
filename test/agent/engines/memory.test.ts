import { Effect } from "effect"
import { conforms } from "./conformance.ts"
import { MemoryEngine } from "./memory.ts"

const args = { success: [], failure: ["fail"], endless: ["endless"] }

const subject = (engine: MemoryEngine) =>
  Effect.sync(() => ({
    engine: engine.engine,
    enqueue: (outcome: keyof typeof args) => Effect.sync(() => engine.enqueue({ args: args[outcome] })),
    begin: Effect.sync(() => engine.serve()),
    work: Effect.sync(() => {
      for (const job of engine.jobs.values()) if (job.state === "waiting") engine.work(job.id)
    }),
    taskName: "shop.pay",
    queue: "default",
    worker: "w1@here",
    schedule: (id: string) =>
      Effect.sync(() => engine.schedule(id, { task_name: "shop.pay", kwargs: { n: 1, token: "hunter2" } }))
  }))

conforms("the engine in memory", Effect.suspend(() => subject(new MemoryEngine("memory", [], new Map()))))
conforms(
  "an engine that can do little",
  Effect.suspend(() =>
    subject(
      new MemoryEngine("little", [
        "retry_task",
        "cancel_task",
        "purge_queue",
        "pause_queue",
        "resume_queue",
        "pool_resize",
        "rate_limit",
        "list_dead_letters"
      ])
    )
  )
)
