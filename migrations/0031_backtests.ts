import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/**
 * What a backtest of an automation rule reads, newest first: tasks of which an attempt failed or was retried, and orphaned
 * attempts. Backtests of other triggers read `tasks_changes` and `schedule_misfires_project`.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX tasks_failed_or_retried ON tasks (project_id, updated_at, id)
    WHERE fingerprint IS NOT NULL OR retry_count > 0`
  yield* sql`CREATE INDEX task_orphans_project ON task_orphans (project_id, orphaned_at, engine, task_id)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX task_orphans_project`
  yield* sql`DROP INDEX tasks_failed_or_retried`
})

export const m0031: Migration = { id: 31, name: "backtests", compatibleFrom: 5, up, down }
