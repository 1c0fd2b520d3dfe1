import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Accounts of the sign-in provider, and which memberships its groups gave (docs/oidc.md). */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)
  yield* sql`CREATE TABLE oidc_identities (
    id ${uuid} PRIMARY KEY,
    user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    issuer ${text} NOT NULL,
    subject ${text} NOT NULL,
    email TEXT,
    created_at ${text} NOT NULL,
    last_used_at ${text},
    UNIQUE (issuer, subject)
  )`
  yield* sql`CREATE INDEX oidc_identities_user ON oidc_identities (user_id)`
  yield* sql`ALTER TABLE memberships ADD COLUMN given_by_groups INTEGER NOT NULL DEFAULT 0`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE memberships DROP COLUMN given_by_groups`
  yield* sql`DROP TABLE oidc_identities`
})

export const m0038: Migration = { id: 38, name: "oidc", compatibleFrom: 5, up, down }
