import { Effect } from "effect"
import { AuditExports } from "../../../services/audit/AuditExports.ts"
import { respondWithFile } from "../../Download.ts"
import { implementGroup } from "../../ImplementGroup.ts"

const defaultLimit = 50

export const layer = implementGroup("audit_exports", function*(handlers) {
  const exports = yield* AuditExports
  return handlers
    .handle("create", ({ payload }) => exports.create(payload))
    .handle("list", ({ urlParams }) => exports.list(urlParams.limit ?? defaultLimit))
    .handle("get", ({ path }) => exports.get(path.job_id))
    .handle("remove", ({ path }) => exports.remove(path.job_id))
    .handleRaw(
      "download",
      ({ path }) => Effect.flatMap(exports.download(path.job_id), (file) => respondWithFile("audit", file))
    )
})
