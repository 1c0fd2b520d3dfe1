import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Activity } from "../../services/Activity.ts"
import { Api } from "../Api.ts"

export const layer = HttpApiBuilder.group(Api, "activity", Effect.fnUntraced(function*(handlers) {
  const activity = yield* Activity
  return handlers.handle("list", ({ urlParams }) => activity.feed(urlParams))
}))
