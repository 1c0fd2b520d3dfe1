import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Reading the audit log. Every list goes along `seq`, so that each index ends with it: a page with a filter is a few
 * places in one index. The head holds the newest row's time, so that times rise along `seq`.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text } = types(sql)
  yield* sql`CREATE INDEX audit_log_time ON audit_log (occurred_at, id)`
  yield* sql`CREATE INDEX audit_log_action ON audit_log (action, seq)`
  yield* sql`CREATE INDEX audit_log_project_seq ON audit_log (project_id, seq)`
  yield* sql`CREATE INDEX audit_log_project_action ON audit_log (project_id, action, seq)`
  yield* sql`CREATE INDEX audit_log_project_user ON audit_log (project_id, user_id, action, seq) WHERE user_id IS NOT NULL`
  yield* sql`CREATE INDEX audit_log_project_denied ON audit_log (project_id, seq) WHERE outcome = 'deny'`
  yield* sql`DROP INDEX audit_log_project`
  yield* sql`ALTER TABLE audit_head ADD COLUMN occurred_at ${text}`
  yield* sql`UPDATE audit_head SET occurred_at = (SELECT occurred_at FROM audit_log ORDER BY seq DESC LIMIT 1)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE audit_head DROP COLUMN occurred_at`
  yield* sql`CREATE INDEX audit_log_project ON audit_log (project_id, id)`
  for (const name of ["time", "action", "project_seq", "project_action", "project_user", "project_denied"]) {
    yield* sql`DROP INDEX ${sql(`audit_log_${name}`)}`
  }
})

export const m0004: Migration = { id: 4, name: "activity", compatibleFrom: 1, up, down }
