import { Cause, Effect, Fiber, FiberSet } from "effect"
import type { Redaction } from "../../domain/kernel/Redaction.ts"
import type { Engine, Inventory, WorkerInventory } from "./Engine.ts"
import { messageOf } from "./ErrorInfo.ts"

/** Timeout of an engine's inventory. A later heartbeat asks again. */
const INVENTORY_TIMEOUT = "8 seconds"
/** A heartbeat waits this long for inventories, and then has the previous ones. */
const HEARTBEAT_TIMEOUT = "2 seconds"
const MAX_WORKERS = 1000
const MAX_TASK_NAMES = 5000
const MAX_LISTED_TASKS = 500
const MAX_COUNTED_TASKS = 10_000
/** Longer details would not fit into a heartbeat's frame. */
const MAX_DETAILS_LENGTH = 524_288

type AdapterHealth = Readonly<Record<string, string>>

/** The engines' inventories for the heartbeat's `adapter_health` (agents' protocol, section 2.5). Never fails. */
export const makeEngineHealth = Effect.fnUntraced(function*(
  engines: ReadonlyArray<Engine>,
  redaction: Redaction,
  /** Why the engine did not start; undefined while it starts and runs. */
  startProblemOf: (engine: string) => string | undefined
) {
  const fork = yield* FiberSet.makeRuntime<never>()
  const pending = new Map<string, Fiber.RuntimeFiber<void>>()
  const latest = new Map<string, AdapterHealth>()

  const textOf = (problem: string) => redaction.text(problem).slice(0, 500)

  const readHealth = (engine: Engine): Effect.Effect<AdapterHealth> =>
    Effect.suspend(() => {
      const problem = startProblemOf(engine.name)
      if (problem !== undefined) return Effect.succeed({ [`${engine.name}.start_error`]: textOf(problem) })
      return Effect.suspend(() => engine.inventory).pipe(
        Effect.disconnect,
        Effect.timeout(INVENTORY_TIMEOUT),
        Effect.matchCause({
          onSuccess: (inventory) => healthOf(engine.name, inventory),
          onFailure: (cause) => ({ [`${engine.name}.error`]: textOf(describeFailure(Cause.squash(cause))) })
        })
      )
    })

  const refresh = (engine: Engine): Effect.Effect<void> =>
    readHealth(engine).pipe(
      Effect.catchAllDefect(() => Effect.succeed({ [`${engine.name}.error`]: "its inventory cannot be read" })),
      Effect.map((health) => void latest.set(engine.name, health)),
      Effect.ensuring(Effect.sync(() => pending.delete(engine.name)))
    )

  return Effect.gen(function*() {
    for (const engine of engines) if (!pending.has(engine.name)) pending.set(engine.name, fork(refresh(engine)))
    yield* Effect.timeoutOption(Effect.disconnect(Fiber.awaitAll([...pending.values()])), HEARTBEAT_TIMEOUT)
    return Object.assign({}, ...latest.values()) as AdapterHealth // each of them is one
  })
})

const describeFailure = (error: unknown): string =>
  error instanceof Cause.TimeoutException ? "its inventory did not come within 8 seconds" : messageOf(error)

const healthOf = (
  engine: string,
  { brokerConnected, brokerType, pausedQueues, queueDepths, workers }: Inventory
): AdapterHealth => {
  const details = JSON.stringify(
    Object.fromEntries(workers.slice(0, MAX_WORKERS).map((worker) => [worker.name, detailsOf(worker, true)]))
  )
  return {
    [`${engine}.broker_type`]: brokerType,
    [`${engine}.broker_connected`]: brokerConnected ? "True" : "False",
    [`${engine}.queue_depths`]: JSON.stringify(queueDepths),
    ...(pausedQueues !== undefined && { [`${engine}.paused_queues`]: JSON.stringify(pausedQueues) }),
    [`${engine}.worker_details`]: details.length <= MAX_DETAILS_LENGTH
      ? details
      : JSON.stringify(
        Object.fromEntries(workers.slice(0, MAX_WORKERS).map((worker) => [worker.name, detailsOf(worker, false)]))
      )
  }
}

/** In the shape of Celery's node details, which the brain reads. */
const detailsOf = (worker: WorkerInventory, withNames: boolean) => ({
  stats: {
    pid: worker.pid,
    hostname: worker.hostname,
    // a heartbeat that repeats the previous inventory has its uptime, by which the brain sees that the list is not new
    ...(worker.pid === process.pid && { uptime: Math.floor(process.uptime()) }),
    pool: { "max-concurrency": worker.concurrency }
  },
  active: activeOf(worker, withNames),
  active_queues: worker.queues.map((name) => ({ name })),
  registered: withNames ? worker.registered.slice(0, MAX_TASK_NAMES) : []
})

/**
 * The running tasks, each with its id or as a nameless item. Undefined for a mere count of 0: an empty list would say that
 * the worker runs none of the tasks that are known to have started.
 */
const activeOf = ({ activeTaskIds, activeTasks }: WorkerInventory, withNames: boolean) => {
  if (withNames && activeTaskIds !== undefined && activeTaskIds.length <= MAX_LISTED_TASKS) {
    return activeTaskIds.map((id) => ({ id }))
  }
  if (activeTasks <= 0) return undefined
  return Array.from({ length: Math.min(MAX_COUNTED_TASKS, activeTasks) }, () => 0)
}
