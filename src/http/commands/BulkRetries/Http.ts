import { Effect } from "effect"
import { BulkRetries } from "../../../services/commands/BulkRetries.ts"
import { checkQuery } from "../../../services/tasks/QueryAccess.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("bulk_retries", function*(handlers) {
  const bulkRetries = yield* BulkRetries
  return handlers
    .handle(
      "preview",
      ({ payload }) => Effect.zipRight(checkQuery(payload.filter.query), bulkRetries.preview(payload))
    )
    .handle(
      "create",
      ({ payload }) => Effect.zipRight(checkQuery(payload.filter.query), bulkRetries.create(payload))
    )
    .handle("list", ({ urlParams: { cursor, limit } }) => bulkRetries.list({ cursor, limit }))
    .handle("get", ({ path }) => bulkRetries.get(path.request_id))
    .handle(
      "items",
      ({ path, urlParams: { cursor, limit, outcome, status } }) =>
        bulkRetries.listItems(path.request_id, { cursor, limit, outcome, status })
    )
    .handle("pause", ({ path }) => bulkRetries.pause(path.request_id))
    .handle(
      "resume",
      ({ path, urlParams: { rate_per_second: rate } }) => bulkRetries.resume(path.request_id, rate === 0 ? null : rate)
    )
    .handle("cancel", ({ path }) => bulkRetries.cancel(path.request_id))
})
