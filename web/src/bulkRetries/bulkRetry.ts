import type { Schemas } from "../api/client.ts"
import { formatQuery, groupQuery } from "../tasks/query.ts"
import type { TaskState } from "../tasks/states.ts"

export type BulkRetry = Schemas["BulkRetry"]
export type BulkRetryFilter = Schemas["BulkRetryFilter"]
export type ItemStatus = Schemas["BulkRetryItem"]["status"]

/** What a person reads: a request that runs can be paused, or wait for the last outcomes after it was cancelled. */
export type Phase = BulkRetry["status"] | "paused" | "cancelling"

export const phaseOf = ({ control_state, status }: Pick<BulkRetry, "control_state" | "status">): Phase =>
  status !== "running" || control_state === "running"
    ? status
    : control_state === "paused"
    ? "paused"
    : "cancelling"

/** Each phase has the shape of the task state that it resembles. */
export const phaseShapes: Readonly<Record<Phase, TaskState>> = {
  running: "started",
  paused: "pending",
  cancelling: "revoked",
  completed: "success",
  cancelled: "revoked",
  expired: "rejected"
}

/** In the order of the bar: what is certain first, what has not begun last. */
export const itemStatuses: ReadonlyArray<ItemStatus> = [
  "succeeded",
  "failed",
  "unknown",
  "unobserved",
  "claimed",
  "pending"
]

export const itemShapes: Readonly<Record<ItemStatus, TaskState>> = {
  succeeded: "success",
  failed: "failure",
  unknown: "unknown",
  unobserved: "rejected",
  claimed: "started",
  pending: "pending"
}

/** How many tasks a filter names; null: none, it has other terms. */
export const countNamed = ({ task_ids }: Readonly<Record<string, unknown>>): number | null =>
  typeof task_ids === "number" ? task_ids : null

const textTerms = ["name", "queue", "engine", "worker", "fingerprint", "since", "until", "search"] as const

/** The filter of a request as a line of the list of tasks. */
export const lineOf = (filter: Readonly<Record<string, unknown>>): string => {
  const query: Record<string, string> = {}
  for (const term of textTerms) {
    const value = filter[term]
    if (typeof value === "string") query[term] = value
  }
  if (typeof filter.state === "string") query.state = filter.state
  if (Array.isArray(filter.priority)) query.priority = filter.priority.join(",")
  const line = formatQuery(query)
  if (typeof filter.query !== "string") return line
  return line === "" ? filter.query : `${line} ${groupQuery(filter.query)}`
}
