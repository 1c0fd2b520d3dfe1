import { Activity } from "../../../services/operations/Activity.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("activity", function*(handlers) {
  const activity = yield* Activity
  return handlers.handle("list", ({ urlParams }) => activity.feed(urlParams))
})
