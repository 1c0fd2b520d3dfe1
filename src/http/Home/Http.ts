import { Effect } from "effect"
import { Home } from "../../services/Home.ts"
import { implementGroup } from "../ImplementGroup.ts"

export const layer = implementGroup(
  "home",
  Effect.fnUntraced(function*(handlers) {
    const home = yield* Home
    return handlers
      .handle("summary", () => home.getSummary())
      .handle("recentFailures", ({ urlParams }) => home.listRecentFailures(urlParams))
  })
)
