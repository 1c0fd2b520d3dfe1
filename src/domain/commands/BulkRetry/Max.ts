import { Schema } from "effect"

/** The most tasks that `max` of a bulk retry takes, at each of its endpoints (interface, Limits). */
export const largestMax = 10_000

const message = () =>
  `must be a whole number from 1 to ${largestMax}. To retry all tasks that match a filter, create a bulk retry: POST ` +
  "/api/v1/projects/{slug}/bulk-retry-requests with max null, or svc bulk-retry create --all"

/** `max` of the endpoints that retry many tasks. */
export const BulkRetryMax = Schema.Number.pipe(
  Schema.filter((max) => Number.isInteger(max) && max >= 1 && max <= largestMax, {
    message,
    jsonSchema: { type: "integer", minimum: 1, maximum: largestMax }
  })
)
