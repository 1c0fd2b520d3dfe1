import type { SqlClient, Statement } from "@effect/sql"

/**
 * The order in which the ingest writes the tasks of a project (`Ingest/Writer.ts`). A transaction that locks tasks in
 * this order too waits for the ingest, and cannot deadlock with it.
 */
export const writeOrder = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.onDialectOrElse({
    pg: () => sql.literal(`engine COLLATE "C", task_id COLLATE "C"`),
    orElse: () => sql.literal("id") // one connection writes
  })
