import type { Schemas } from "../api/client.ts"
import { formatQuery, groupQuery } from "../tasks/query.ts"
import type { TaskState } from "../tasks/states.ts"
import type { ItemStatus, TaskOutcome } from "./search.ts"

export type BulkRetry = Schemas["BulkRetry"]
export type BulkRetryFilter = Schemas["BulkRetryFilter"]
/** What a person reads: a request that runs can be paused, or wait for the last outcomes after it was cancelled. */
export type Phase = BulkRetry["status"] | "paused" | "cancelling"

export const phaseOf = ({ control_state, status }: Pick<BulkRetry, "control_state" | "status">): Phase =>
  status !== "running" || control_state === "running"
    ? status
    : control_state === "paused"
    ? "paused"
    : "cancelling"

/** Each phase has the shape of the task state that it resembles. */
const phaseShapes: Readonly<Record<Phase, TaskState>> = {
  running: "started",
  paused: "pending",
  cancelling: "revoked",
  completed: "success",
  cancelled: "revoked",
  expired: "rejected"
}

/** A completed request looks like what became of its tasks: that the agent retried them says nothing about it. */
export const shapeOf = (request: Pick<BulkRetry, "control_state" | "counts" | "outcomes" | "status">): TaskState => {
  const phase = phaseOf(request)
  const { counts, outcomes } = request
  if (phase !== "completed") return phaseShapes[phase]
  if (counts.failed > 0 || (outcomes?.failed ?? 0) > 0) return "failure"
  if (outcomes === null || counts.unknown + outcomes.unknown > 0) return "unknown"
  return outcomes.waiting > 0 ? "started" : phaseShapes.completed
}

/** Whether its numbers may change at any moment. */
export const isMoving = ({ outcomes, status }: Pick<BulkRetry, "outcomes" | "status">): boolean =>
  status === "running" || (outcomes?.waiting ?? 0) > 0

export const outcomeShapes: Readonly<Record<TaskOutcome, TaskState>> = {
  succeeded: "success",
  failed: "failure",
  waiting: "started",
  cancelled: "revoked",
  unknown: "unknown"
}

/** A retried task is no success yet. */
export const itemShapes: Readonly<Record<ItemStatus, TaskState>> = {
  succeeded: "started",
  failed: "failure",
  unknown: "unknown",
  unobserved: "rejected",
  claimed: "received",
  pending: "pending"
}

/** How many tasks a filter names; null: none, it has other terms. */
export const countNamed = ({ task_ids }: Readonly<Record<string, unknown>>): number | null =>
  typeof task_ids === "number" ? task_ids : null

const textTerms = ["name", "queue", "engine", "worker", "fingerprint", "since", "until", "search"] as const

/** Whether the query of a filter compares what the person's role cannot see: then it is null. */
export const isQueryHidden = ({ filter_query, query }: Readonly<Record<string, unknown>>): boolean =>
  filter_query === null || query === null

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
