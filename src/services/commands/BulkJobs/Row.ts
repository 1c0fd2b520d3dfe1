import { Schema } from "effect"
import { BulkJobAction, type BulkJobOutcomes, BulkJobStatus } from "../../../domain/commands/BulkJob.ts"
import { BulkRetryStatus, ControlState } from "../../../domain/commands/BulkRetry.ts"
import type { ItemStatus } from "../../../domain/commands/BulkRetry/Item.ts"
import { AgentId, BulkJobId, BulkRetryId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { FilterTerms } from "../../../domain/tasks/Task/Filter.ts"
import { auditEntry } from "../../audit/Row.ts"
import { BooleanColumn, JsonColumn } from "../../kernel/sql/ColumnTypes.ts"

/** Bulk retries of a project, and its other bulk jobs, that have not ended, or that have open commands. */
export const maxOpenJobs = 20

/** The life of every job: how far its tasks are, and when it began and ended. */
const lifecycle = {
  project_id: ProjectId,
  /** Commanded, without an outcome. */
  claimed: Schema.Int,
  /** Deleted, or the agent has confirmed the command. */
  succeeded: Schema.Int,
  failed: Schema.Int,
  unknown: Schema.Int,
  /** Left out. */
  unobserved: Schema.Int,
  created_by: Schema.NullOr(UserId),
  created_at: Timestamp,
  /** Null: its tasks are being frozen, and it is shown nowhere. */
  sealed_at: Schema.NullOr(Timestamp),
  deadline_at: Timestamp,
  finished_at: Schema.NullOr(Timestamp),
  /** When nothing was left to do: after `finished_at` where a stopped cancellation had commands without an outcome. */
  resolved_at: Schema.NullOr(Timestamp)
}

/** A row of `bulk_jobs` that retries the tasks that were frozen for it (`bulk_retry_items`). */
export const BulkRetry = Schema.Struct({
  ...lifecycle,
  id: BulkRetryId,
  action: Schema.Literal("retry"),
  filter: JsonColumn(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  status: BulkRetryStatus,
  total: Schema.Int,
  idempotency_key: Schema.String,
  canonical_digest: Schema.String,
  plan_digest: Schema.String,
  max: Schema.NullOr(Schema.Int),
  capped: BooleanColumn,
  /** The engines of the frozen tasks. */
  engines: JsonColumn(Schema.Array(Schema.String)),
  /** The name of the frozen tasks; null: they have several. */
  target_name: Schema.NullOr(Schema.String),
  target_agent_id: Schema.NullOr(AgentId),
  rate_per_second: Schema.NullOr(Schema.Number),
  control_state: ControlState,
  last_progress_at: Schema.NullOr(Timestamp)
})
export type BulkRetry = typeof BulkRetry.Type

/** A row of `bulk_jobs` that deletes or cancels what it finds on a walk over the tasks. */
export const BulkWalk = Schema.Struct({
  ...lifecycle,
  id: BulkJobId,
  action: BulkJobAction,
  filter: JsonColumn(FilterTerms),
  status: BulkJobStatus,
  /** Null: too many to count. */
  total: Schema.NullOr(Schema.Int),
  /** The id after which the walk over the tasks continues, by engine; an engine without one is done. */
  cursors: JsonColumn(Schema.Record({ key: Schema.String, value: Schema.String })),
  /** The moment of the request: ages of the query count from it, and later tasks are left alone. */
  as_of: Timestamp
})
export type BulkWalk = typeof BulkWalk.Type

export const BulkRow = Schema.Union(BulkRetry, BulkWalk)
export type BulkRow = typeof BulkRow.Type

/** A job before its first step. */
export const noProgress = { claimed: 0, succeeded: 0, failed: 0, unknown: 0, unobserved: 0 }

/** Adds outcomes to the counts. */
export const addOutcomes = <Row extends BulkRow>(
  job: Row,
  outcomes: ReadonlyArray<Exclude<ItemStatus, "pending" | "claimed">>
): Row => {
  const count = (outcome: ItemStatus) => outcomes.filter((one) => one === outcome).length
  return {
    ...job,
    succeeded: job.succeeded + count("succeeded"),
    failed: job.failed + count("failed"),
    unknown: job.unknown + count("unknown"),
    unobserved: job.unobserved + count("unobserved")
  }
}

/** The numbers of a walk as callers and the audit log see them. */
export const progressOf = ({ action, claimed, failed, succeeded, unknown, unobserved }: BulkWalk) => ({
  done: claimed + succeeded + failed + unknown,
  skipped: unobserved,
  outcomes: action === "delete" ? null : { pending: claimed, succeeded, failed, unknown } satisfies BulkJobOutcomes
})

/** Ends the walk. Tasks that matched at the creation and are gone, or do not match any more, were skipped too. */
export const complete = (job: BulkWalk, now: Timestamp): BulkWalk => ({
  ...job,
  status: "completed",
  unobserved: Math.max(job.unobserved, (job.total ?? 0) - progressOf(job).done),
  finished_at: now,
  resolved_at: now
})

/** The audit row of a walk's event. */
export const walkEntry = (event: "finished" | "stopped", job: BulkWalk) => {
  const { outcomes, ...progress } = progressOf(job)
  const { action, id, project_id, total } = job
  return auditEntry(`bulk_job.${event}`, "bulk_job", id, {
    project_id,
    metadata: { act: action, total, ...progress, ...(event === "finished" && outcomes) }
  })
}
