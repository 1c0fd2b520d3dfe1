import { Effect } from "effect"
import { Tasks } from "../../../services/tasks/Tasks.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithJsonText } from "../../JsonText.ts"
import { makeLimitHeader } from "../../LimitHeader.ts"

export const layer = implementGroup("events", function*(handlers) {
  const tasks = yield* Tasks
  const withLimitHeader = yield* makeLimitHeader
  return handlers.handleRaw("list", ({ urlParams }) =>
    Effect.map(
      tasks.listEvents(urlParams, urlParams.cursor ?? null, urlParams.limit ?? null),
      // payloads are JSON text already
      ({ items, next_cursor }) =>
        withLimitHeader(
          urlParams,
          respondWithJsonText(`{"items":[${items.join(",")}],"next_cursor":${JSON.stringify(next_cursor)}}`)
        )
    ))
})
