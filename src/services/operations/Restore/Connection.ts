import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Speeds up the load, and ends with the connection. References cannot be switched off in a transaction. */
export const prepareConnection = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => Effect.void,
    orElse: () =>
      Effect.all([
        sql`PRAGMA foreign_keys = OFF`,
        sql`PRAGMA cache_size = -131072`,
        sql`PRAGMA temp_store = FILE`
      ], { discard: true })
  }))

/** Waits at most 10 s for locks of svc commands that still read; then the restore fails before it changes anything. */
export const allowTime = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.all([
        sql`SET LOCAL idle_in_transaction_session_timeout = 0`,
        sql`SET LOCAL statement_timeout = 0`,
        sql`SET LOCAL lock_timeout = '10s'`
      ], { discard: true }),
    orElse: () => Effect.void
  }))

/** The log of a large restore is as large as the database; and the planner knows nothing of the new rows. */
export const tidy = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => sql`ANALYZE`,
    orElse: () => sql`PRAGMA wal_checkpoint(TRUNCATE)`
  }))
