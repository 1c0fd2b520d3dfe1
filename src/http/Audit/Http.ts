import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Activity } from "../../services/Activity.ts"
import { Api } from "../Api.ts"
import { download } from "../Download.ts"

export const layer = HttpApiBuilder.group(Api, "audit", Effect.fnUntraced(function*(handlers) {
  const activity = yield* Activity
  return handlers.handleRaw("list", ({ urlParams }) =>
    urlParams.format !== undefined
      ? Effect.flatMap(activity.exportAs(urlParams, urlParams.format), (file) => download("audit", file))
      : Effect.map(activity.list(urlParams), (page) => HttpServerResponse.unsafeJson(page)))
}))
