import type { Schemas } from "../api/client.ts"

export type ItemStatus = Schemas["BulkRetryItem"]["status"]
export type TaskOutcome = NonNullable<Schemas["BulkRetryItem"]["outcome"]>

/** Which tasks of a request are shown, in the address of its page. */
export interface ItemsSearch {
  readonly status?: ItemStatus
  /** Of retried tasks. */
  readonly outcome?: TaskOutcome
}

/** In the order of the bar: what is certain first, what has not ended last. */
export const taskOutcomes: ReadonlyArray<TaskOutcome> = ["succeeded", "failed", "cancelled", "unknown", "waiting"]

/** In the order of the bar: what is certain first, what has not begun last. */
export const itemStatuses: ReadonlyArray<ItemStatus> = [
  "succeeded",
  "failed",
  "unknown",
  "unobserved",
  "claimed",
  "pending"
]
