import type { SqlClient, Statement } from "@effect/sql"

/** The order below on PostgreSQL, of columns that begin with `of`: an alias with its dot, or nothing. */
export const keyOrder = (of: string): string => `${of}engine COLLATE "C", ${of}task_id COLLATE "C"`

/**
 * The order in which the ingest writes the tasks of a project (`Ingest/Writer.ts`). A transaction that locks tasks in
 * this order too waits for the ingest, and cannot deadlock with it.
 */
export const writeOrder = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.onDialectOrElse({
    pg: () => sql.literal(keyOrder("")),
    orElse: () => sql.literal("id") // one connection writes
  })
