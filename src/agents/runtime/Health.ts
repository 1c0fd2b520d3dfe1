import { Cause, Effect, Fiber, FiberSet } from "effect"
import type { Redaction } from "../../domain/Redaction.ts"
import type { Engine, Inventory, WorkerInventory } from "./Engine.ts"

/** An engine that takes longer is asked again with a later heartbeat. */
const PATIENCE = "8 seconds"
/** A heartbeat waits no longer for what engines say: it then has what they said before. */
const HEARTBEAT_PATIENCE = "2 seconds"
const MOST_WORKERS = 1000
const MOST_TASK_NAMES = 5000
/** Beyond this a heartbeat would not fit into its frame. */
const LONGEST_DETAILS = 524_288

type Health = Readonly<Record<string, string>>

/** What stands in the engines, for the heartbeat's `adapter_health` (agents' protocol, section 2.5). Never fails. */
export const engineHealth = Effect.fnUntraced(function*(engines: ReadonlyArray<Engine>, redaction: Redaction) {
  const fork = yield* FiberSet.makeRuntime<never>()
  const asked = new Map<string, Fiber.RuntimeFiber<void>>()
  const known = new Map<string, Health>()

  const ask = (engine: Engine): Effect.Effect<void> =>
    Effect.suspend(() => engine.inventory).pipe(
      Effect.disconnect,
      Effect.timeout(PATIENCE),
      Effect.matchCause({
        onSuccess: (inventory) => healthOf(engine.name, inventory),
        onFailure: (cause) => ({ [`${engine.name}.error`]: redaction.text(sentenceOf(cause)).slice(0, 500) })
      }),
      Effect.catchAllDefect(() => Effect.succeed({ [`${engine.name}.error`]: "its inventory cannot be read" })),
      Effect.map((health) => void known.set(engine.name, health)),
      Effect.ensuring(Effect.sync(() => asked.delete(engine.name)))
    )

  return Effect.gen(function*() {
    for (const engine of engines) if (!asked.has(engine.name)) asked.set(engine.name, fork(ask(engine)))
    yield* Effect.timeoutOption(Effect.disconnect(Fiber.awaitAll([...asked.values()])), HEARTBEAT_PATIENCE)
    return Object.assign({}, ...known.values()) as Health // each is one
  })
})

const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (error instanceof Cause.TimeoutException) return "it did not tell what stands there within 8 seconds"
  return error instanceof Error ? error.message : String(error)
}

const healthOf = (engine: string, { brokerConnected, brokerType, queueDepths, workers }: Inventory): Health => {
  const details = JSON.stringify(Object.fromEntries(workers.slice(0, MOST_WORKERS).map((worker) => [worker.name, detailsOf(worker, true)])))
  return {
    [`${engine}.broker_type`]: brokerType,
    [`${engine}.broker_connected`]: brokerConnected ? "True" : "False",
    [`${engine}.queue_depths`]: JSON.stringify(queueDepths),
    [`${engine}.worker_details`]: details.length <= LONGEST_DETAILS
      ? details
      : JSON.stringify(Object.fromEntries(workers.slice(0, MOST_WORKERS).map((worker) => [worker.name, detailsOf(worker, false)])))
  }
}

/** In the shape in which Celery tells of its nodes, which the brain reads. */
const detailsOf = (worker: WorkerInventory, withNames: boolean) => ({
  stats: { pid: worker.pid, hostname: worker.hostname, pool: { "max-concurrency": worker.concurrency } },
  active: Array.from({ length: Math.min(10_000, Math.max(0, worker.activeTasks)) }, () => 0),
  active_queues: worker.queues.map((name) => ({ name })),
  registered: withNames ? worker.registered.slice(0, MOST_TASK_NAMES) : []
})
