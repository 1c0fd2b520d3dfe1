import { Effect } from "effect"
import { Home } from "../../../services/operations/Home.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithJsonText } from "../../JsonText.ts"

export const layer = implementGroup("home", function*(handlers) {
  const home = yield* Home
  return handlers
    .handle("summary", () => home.getSummary())
    .handle("recentFailures", ({ urlParams }) => home.listRecentFailures(urlParams))
    .handleRaw(
      "trends",
      ({ urlParams }) => Effect.map(home.listTrends(urlParams), (trends) => respondWithJsonText(JSON.stringify(trends)))
    )
})
