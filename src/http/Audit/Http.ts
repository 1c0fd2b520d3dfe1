import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Activity } from "../../services/Activity.ts"
import { Api } from "../Api.ts"
import { download } from "../Download.ts"
import { limitApplied } from "../LimitApplied.ts"

export const layer = HttpApiBuilder.group(Api, "audit", Effect.fnUntraced(function*(handlers) {
  const activity = yield* Activity
  const saysLimit = yield* limitApplied
  return handlers.handleRaw("list", ({ urlParams }) =>
    urlParams.format !== undefined
      ? Effect.flatMap(activity.exportAs(urlParams, urlParams.format), (file) => download("audit", file))
      : Effect.map(activity.list(urlParams), (page) => saysLimit(urlParams, HttpServerResponse.unsafeJson(page))))
}))
