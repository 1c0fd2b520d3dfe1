import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

const columns = ["oidc_issuer", "oidc_subject", "oidc_sid"]

/**
 * The sign-in at the provider that a session comes from, by which the provider ends it, and the logout tokens that were
 * used, so that none is used twice (docs/oidc.md).
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text } = types(sql)
  for (const column of columns) yield* sql`ALTER TABLE sessions ADD COLUMN ${sql(column)} ${text}`
  // partial: sessions that a password opened have no entry
  yield* sql`CREATE INDEX sessions_oidc_subject ON sessions (oidc_subject) WHERE oidc_subject IS NOT NULL`
  yield* sql`CREATE INDEX sessions_oidc_sid ON sessions (oidc_sid) WHERE oidc_sid IS NOT NULL`
  yield* sql`CREATE TABLE oidc_logout_tokens (id ${text} PRIMARY KEY, expires_at ${text} NOT NULL)`
  yield* sql`CREATE INDEX oidc_logout_tokens_expires ON oidc_logout_tokens (expires_at)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE oidc_logout_tokens`
  yield* sql`DROP INDEX sessions_oidc_sid`
  yield* sql`DROP INDEX sessions_oidc_subject`
  for (const column of columns) yield* sql`ALTER TABLE sessions DROP COLUMN ${sql(column)}`
})

export const m0044: Migration = { id: 44, name: "oidc logout", compatibleFrom: 5, up, down }
