import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

const userColumns = [
  "mfa_secret",
  "mfa_enrolled_at",
  "mfa_last_step",
  "mfa_failed_codes",
  "mfa_locked_until",
  "mfa_pending_secret",
  "mfa_pending_at",
  "mfa_enforcement_started_at"
]

const sessionColumns = ["factor_at", "proven_at"]

const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)

  // `mfa_last_step`: the time step of the last code that was taken, so that none is taken twice
  yield* sql`ALTER TABLE users ADD COLUMN mfa_secret TEXT`
  yield* sql`ALTER TABLE users ADD COLUMN mfa_enrolled_at ${text}`
  yield* sql`ALTER TABLE users ADD COLUMN mfa_last_step INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE users ADD COLUMN mfa_failed_codes INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE users ADD COLUMN mfa_locked_until ${text}`
  yield* sql`ALTER TABLE users ADD COLUMN mfa_pending_secret TEXT`
  yield* sql`ALTER TABLE users ADD COLUMN mfa_pending_at ${text}`
  yield* sql`ALTER TABLE users ADD COLUMN mfa_enforcement_started_at ${text}`

  // While `factor_at` is null, the second factor of a session is pending, if its user has one.
  // `proven_at`: when password and factor were last given, which a step-up asks for.
  yield* sql`ALTER TABLE sessions ADD COLUMN factor_at ${text}`
  yield* sql`ALTER TABLE sessions ADD COLUMN proven_at ${text}`

  yield* sql`CREATE TABLE mfa_recovery_codes (
    user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash ${text} NOT NULL,
    PRIMARY KEY (user_id, code_hash)
  )`

  yield* sql`CREATE TABLE trusted_devices (
    id ${uuid} PRIMARY KEY,
    user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash ${text} NOT NULL UNIQUE,
    label TEXT NOT NULL,
    created_at ${text} NOT NULL,
    last_seen_at ${text} NOT NULL,
    expires_at ${text} NOT NULL,
    revoked_at ${text}
  )`
  yield* sql`CREATE INDEX trusted_devices_user ON trusted_devices (user_id)`
  yield* sql`CREATE INDEX trusted_devices_expires ON trusted_devices (expires_at)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE trusted_devices`
  yield* sql`DROP TABLE mfa_recovery_codes`
  for (const column of sessionColumns) yield* sql`ALTER TABLE sessions DROP COLUMN ${sql(column)}`
  for (const column of userColumns) yield* sql`ALTER TABLE users DROP COLUMN ${sql(column)}`
})

/** An older program would let people in without their second factor. */
export const m0003: Migration = { id: 3, name: "mfa", compatibleFrom: 3, up, down }
