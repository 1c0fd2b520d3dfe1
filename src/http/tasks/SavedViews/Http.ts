import { SavedViews } from "../../../services/tasks/SavedViews.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("saved_views", function*(handlers) {
  const views = yield* SavedViews
  return handlers
    .handle("list", () => views.list())
    .handle("create", ({ payload }) => views.create(payload))
    .handle("update", ({ path, payload }) => views.update(path.view_id, payload))
    .handle("remove", ({ path }) => views.remove(path.view_id))
})
