import { SearchablePaths } from "../../../services/tasks/SearchablePaths.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("searchable_paths", function*(handlers) {
  const paths = yield* SearchablePaths
  return handlers
    .handle("list", () => paths.list())
    .handle("create", ({ payload }) => paths.create(payload))
    .handle("remove", ({ path }) => paths.remove(path.path_id))
})
