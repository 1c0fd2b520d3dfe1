import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Tasks } from "../../services/Tasks.ts"
import { Api } from "../Api.ts"
import { makeLimitHeader } from "../LimitHeader.ts"

export const layer = HttpApiBuilder.group(Api, "events", Effect.fnUntraced(function*(handlers) {
  const tasks = yield* Tasks
  const withLimitHeader = yield* makeLimitHeader
  return handlers.handleRaw("list", ({ urlParams }) =>
    Effect.map(
      tasks.listEvents(urlParams, urlParams.cursor ?? null, urlParams.limit ?? null),
      // payloads are JSON text already
      ({ items, next_cursor }) =>
        withLimitHeader(urlParams, HttpServerResponse.text(
          `{"items":[${items.join(",")}],"next_cursor":${JSON.stringify(next_cursor)}}`,
          { contentType: "application/json" }
        ))
    ))
}))
