import type { SqlClient, Statement } from "@effect/sql"
import { silentSeconds } from "../../domain/commands/BulkRetry/TaskOutcome.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"

/** Columns of a confirmed retry, as SQL. */
export interface RetryColumns {
  /** The alias of the row that has `project_id`, `engine` and `task_id` of the retried task. */
  readonly row: string
  /** Null: the task runs again under its own id. */
  readonly newTaskId: string
  readonly issuedAt: string
  readonly endedAt: string
}

/**
 * The `TaskOutcome` of a confirmed retry. As a subquery, so that PostgreSQL too reads each task by its key; `state` comes
 * first, because the columns behind a large value are slower to read on SQLite.
 *
 * Under its own id a task is what it was before the retry until something of it is reported, which `updated_at` tells.
 */
export const retryOutcome = (
  sql: SqlClient.SqlClient,
  { endedAt, issuedAt, newTaskId, row }: RetryColumns,
  now: Timestamp.Timestamp
): Statement.Fragment =>
  sql`COALESCE((SELECT CASE
      WHEN ${sql.literal(newTaskId)} IS NULL AND t.updated_at <= ${sql.literal(issuedAt)} THEN NULL
      WHEN t.state = 'success' THEN 'succeeded'
      WHEN t.state = 'failure' THEN CASE WHEN t.recovered_by IS NULL THEN 'failed' ELSE 'succeeded' END
      WHEN t.state IN ('revoked', 'rejected') THEN 'cancelled'
      WHEN t.state = 'unknown' THEN 'unknown'
      ELSE 'waiting' END
    FROM tasks t WHERE t.project_id = ${sql.literal(`${row}.project_id`)} AND t.engine = ${sql.literal(`${row}.engine`)}
      AND t.task_id = COALESCE(${sql.literal(newTaskId)}, ${sql.literal(`${row}.task_id`)})
  ), CASE WHEN ${sql.literal(endedAt)} > ${
    Timestamp.addSeconds(now, -silentSeconds)
  } THEN 'waiting' ELSE 'unknown' END)`
