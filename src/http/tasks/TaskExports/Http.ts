import { Effect } from "effect"
import { checkQuery } from "../../../services/tasks/QueryAccess.ts"
import { TaskExports } from "../../../services/tasks/TaskExports.ts"
import { respondWithFile } from "../../Download.ts"
import { implementGroup } from "../../ImplementGroup.ts"

const defaultLimit = 50

export const layer = implementGroup("task_exports", function*(handlers) {
  const exports = yield* TaskExports
  return handlers
    .handle("create", ({ payload }) => Effect.zipRight(checkQuery(payload.filter_query), exports.create(payload)))
    .handle("list", ({ urlParams }) => exports.list(urlParams.limit ?? defaultLimit))
    .handle("get", ({ path }) => exports.get(path.job_id))
    .handle("remove", ({ path }) => exports.remove(path.job_id))
    .handleRaw(
      "download",
      ({ path }) => Effect.flatMap(exports.download(path.job_id), (file) => respondWithFile("tasks", file))
    )
})
