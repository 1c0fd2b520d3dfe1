import { Effect } from "effect"
import { Queues } from "../../../services/tasks/Queues.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithRows } from "../../NextPageHeaders.ts"

export const layer = implementGroup(
  "queues",
  Effect.fnUntraced(function*(handlers) {
    const queues = yield* Queues
    return handlers.handle(
      "list",
      ({ urlParams }) => Effect.flatMap(queues.list({ ...urlParams, limit: urlParams.limit ?? 500 }), respondWithRows)
    )
  })
)
