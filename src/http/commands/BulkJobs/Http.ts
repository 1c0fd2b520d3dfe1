import { Effect } from "effect"
import { BulkJobs } from "../../../services/commands/BulkJobs.ts"
import { checkQuery } from "../../../services/tasks/QueryAccess.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("bulk_jobs", function*(handlers) {
  const bulkJobs = yield* BulkJobs
  return handlers
    .handle("delete", ({ payload }) => bulkJobs.deleteMatching(payload))
    .handle(
      "cancel",
      ({ payload }) => Effect.zipRight(checkQuery(payload.filter_query), bulkJobs.cancelMatching(payload))
    )
    .handle("list", ({ urlParams: { cursor, limit } }) => bulkJobs.list({ cursor, limit }))
    .handle("get", ({ path }) => bulkJobs.get(path.bulk_job_id))
    .handle("stop", ({ path }) => bulkJobs.stop(path.bulk_job_id))
})
