import { Effect } from "effect"
import type { ActionFailed, Inventory, WorkerInventory } from "../../runtime/Engine.ts"
import { read } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"
import { failWhenDisconnected } from "./FailWhenDisconnected.ts"
import { depthOf } from "./Purge.ts"

/** Read at each heartbeat, two requests a queue. It reports a store that is away instead of waiting for it. */
export const inventoryOf = (
  context: EngineContext,
  workers: Effect.Effect<ReadonlyArray<WorkerInventory>, ActionFailed>
): Effect.Effect<Inventory> => {
  const connectedInventory = Effect.gen(function*() {
    const queues = yield* Effect.forEach(
      [...context.queues.values()],
      (queue) =>
        Effect.map(
          Effect.all([depthOf(queue), read(() => queue.isPaused())], { concurrency: 2 }),
          ([depth, isPaused]) => ({ name: queue.name, depth, isPaused })
        ),
      { concurrency: "unbounded" }
    )
    return {
      brokerType,
      brokerConnected: true,
      queueDepths: Object.fromEntries(queues.map(({ depth, name }) => [name, depth])),
      pausedQueues: queues.filter(({ isPaused }) => isPaused).map(({ name }) => name),
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
