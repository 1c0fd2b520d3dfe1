import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * What the person who approves reads (`approvals.subject`), since when an account could approve, and how many tasks a
 * person's bulk acts took (docs/approvals.md). The times are null where an older version wrote the row: the row's
 * `created_at` counts then.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)
  yield* sql`ALTER TABLE approvals ADD COLUMN subject TEXT`
  for (const column of ["admin_since", "account_since", "vouched_at"]) {
    yield* sql`ALTER TABLE users ADD COLUMN ${sql(column)} ${text}`
  }
  yield* sql`ALTER TABLE memberships ADD COLUMN role_since ${text}`
  yield* sql`CREATE TABLE bulk_acts (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    tasks INTEGER NOT NULL,
    created_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX bulk_acts_person ON bulk_acts (project_id, user_id, created_at)`
  yield* sql`CREATE INDEX bulk_acts_user ON bulk_acts (user_id)`
  yield* sql`CREATE INDEX bulk_acts_created ON bulk_acts (created_at)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE bulk_acts`
  yield* sql`ALTER TABLE memberships DROP COLUMN role_since`
  for (const column of ["vouched_at", "account_since", "admin_since"]) {
    yield* sql`ALTER TABLE users DROP COLUMN ${sql(column)}`
  }
  yield* sql`ALTER TABLE approvals DROP COLUMN subject`
})

export const m0049: Migration = { id: 49, name: "four_eyes", compatibleFrom: 5, up, down }
