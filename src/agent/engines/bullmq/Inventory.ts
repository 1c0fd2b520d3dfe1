import { Effect } from "effect"
import type { ActionFailed, Inventory, WorkerInventory } from "../../runtime/Engine.ts"
import type { EngineContext } from "./EngineContext.ts"
import { failWhenDisconnected } from "./FailWhenDisconnected.ts"
import { depthOf } from "./Purge.ts"

/** Read at each heartbeat, one request a queue. It reports a store that is away instead of waiting for it. */
export const inventoryOf = (
  context: EngineContext,
  workers: Effect.Effect<ReadonlyArray<WorkerInventory>, ActionFailed>
): Effect.Effect<Inventory> => {
  const connectedInventory = Effect.gen(function*() {
    const queues = yield* Effect.forEach(
      [...context.queues.values()],
      (queue) => Effect.map(depthOf(queue), (depth) => [queue.name, depth] as const),
      { concurrency: "unbounded" }
    )
    return {
      brokerType,
      brokerConnected: true,
      queueDepths: Object.fromEntries(queues),
      workers: yield* workers
    }
  })
  const known = Effect.timeout(failWhenDisconnected(context, workers), "2 seconds")
  const disconnectedInventory = Effect.map(Effect.orElseSucceed(known, () => []), (workers) => ({
    brokerType,
    brokerConnected: false,
    queueDepths: {},
    workers
  }))
  const onTimeout = () => "away"
  return Effect.catchAll(
    Effect.timeoutFail(failWhenDisconnected(context, connectedInventory), { duration: "5 seconds", onTimeout }),
    () => disconnectedInventory
  )
}

const brokerType = "redis"
