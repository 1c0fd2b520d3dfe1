import { Effect } from "effect"
import type { ActionFailed, Inventory, WorkerInventory } from "../../runtime/Engine.ts"
import { depthOf } from "./Purge.ts"
import type { Site } from "./Site.ts"
import { whileUp } from "./WhileUp.ts"

/** Asked at each heartbeat: a question a queue. A store that is away is told, not waited for. */
export const inventoryOf = (
  site: Site,
  workers: Effect.Effect<ReadonlyArray<WorkerInventory>, ActionFailed>
): Effect.Effect<Inventory> => {
  const there = Effect.gen(function*() {
    const queues = yield* Effect.forEach([...site.queues.values()], (queue) =>
      Effect.map(depthOf(queue), (depth) => [queue.name, depth] as const), { concurrency: "unbounded" })
    return {
      brokerType,
      brokerConnected: true,
      queueDepths: Object.fromEntries(queues),
      workers: yield* workers
    }
  })
  const known = Effect.timeout(whileUp(site, workers), "2 seconds")
  const away = Effect.map(Effect.orElseSucceed(known, () => []), (workers) => ({
    brokerType,
    brokerConnected: false,
    queueDepths: {},
    workers
  }))
  const onTimeout = () => "away"
  return Effect.catchAll(Effect.timeoutFail(whileUp(site, there), { duration: "5 seconds", onTimeout }), () => away)
}

const brokerType = "redis"
