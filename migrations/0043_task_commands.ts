import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/** Finds the commands to a task and the audit rows about one target, for the page of a task. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX commands_task ON commands (project_id, engine, target_id, id) WHERE target_type = 'task'`
  yield* sql`CREATE INDEX audit_log_target ON audit_log (project_id, target_id, seq) WHERE target_id IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX audit_log_target`
  yield* sql`DROP INDEX commands_task`
})

export const m0043: Migration = { id: 43, name: "task commands", compatibleFrom: 5, up, down }
