import { Effect } from "effect"
import { Queues } from "../../../services/tasks/Queues.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithRows } from "../../NextPageHeaders.ts"

export const layer = implementGroup("queues", function*(handlers) {
  const queues = yield* Queues
  return handlers
    .handle(
      "list",
      ({ urlParams }) => Effect.flatMap(queues.list({ ...urlParams, limit: urlParams.limit ?? 500 }), respondWithRows)
    )
    .handle("get", ({ path, urlParams }) => queues.get(path.engine, path.name, urlParams))
    .handle("setTarget", ({ path, payload }) => queues.setTarget(path.engine, path.name, payload))
})
