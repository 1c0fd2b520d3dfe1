import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { Database, orDieOnSql } from "../Database.ts"
import { Loops } from "../Loops.ts"

/**
 * Keeps PostgreSQL's table of tasks vacuumed and analysed, also where autovacuum is off or comes late on a large table.
 * A search walks an index alone only where the visibility map says so, and the planner needs to know that the table
 * has grown: at a million rows that is 0.13 s against 0.8 s. Where autovacuum keeps up there is nothing to do, and of
 * several replicas one does it.
 */
export const vacuum = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // autovacuum waits until a fifth has changed
  const due = yield* sql`SELECT 1 FROM pg_stat_user_tables
    WHERE relid = 'tasks'::regclass AND n_dead_tup + n_ins_since_vacuum > 5000 + n_live_tup / 10`
  if (due.length > 0) yield* sql`VACUUM (ANALYZE, SKIP_LOCKED, PARALLEL 0) tasks`
}).pipe(Effect.withSpan("Tasks.vacuum"), orDieOnSql)

/** Looks once a minute; on SQLite there is nothing to look at. */
export const loop = Layer.scopedDiscard(Effect.gen(function*() {
  const { dialect } = yield* Database
  const loops = yield* Loops
  if (dialect === "pg") yield* loops.every("task vacuum", "1 minute", vacuum)
}))
