import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Tasks } from "../../services/Tasks.ts"
import { Api } from "../Api.ts"
import { limitApplied } from "../LimitApplied.ts"

export const layer = HttpApiBuilder.group(Api, "events", Effect.fnUntraced(function*(handlers) {
  const tasks = yield* Tasks
  const saysLimit = yield* limitApplied
  return handlers.handleRaw("list", ({ urlParams }) =>
    Effect.map(
      tasks.timeline(urlParams, urlParams.cursor ?? null, urlParams.limit ?? null),
      // payloads are JSON text already
      ({ items, next_cursor }) =>
        saysLimit(urlParams, HttpServerResponse.text(
          `{"items":[${items.join(",")}],"next_cursor":${JSON.stringify(next_cursor)}}`,
          { contentType: "application/json" }
        ))
    ))
}))
