import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Database, orDieOnSql } from "../kernel/sql/Database.ts"

/**
 * Vacuums and analyses PostgreSQL's table of tasks, for databases where autovacuum is off or late. An index-only scan
 * needs a current visibility map, and the planner needs the size of the table: at a million rows a search takes 0.13 s
 * instead of 0.8 s. Where autovacuum keeps up nothing is due, and of several replicas one vacuums.
 */
export const vacuum = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // autovacuum waits until a fifth of the rows has changed
  const due = yield* sql`SELECT 1 FROM pg_stat_user_tables
    WHERE relid = 'tasks'::regclass AND n_dead_tup + n_ins_since_vacuum > 5000 + n_live_tup / 10`
  if (due.length > 0) yield* sql`VACUUM (ANALYZE, SKIP_LOCKED, PARALLEL 0) tasks`
}).pipe(Effect.withSpan("Tasks.vacuum"), orDieOnSql)

/** Once a minute, on PostgreSQL only. */
export const loop = Layer.scopedDiscard(Effect.gen(function*() {
  const { dialect } = yield* Database
  const loops = yield* Loops
  if (dialect === "pg") yield* loops.every("task vacuum", "1 minute", vacuum)
}))
