import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)

  // Outgoing mail, encrypted because it may contain links. A row is deleted when its mail was accepted or given up.
  yield* sql`CREATE TABLE mail_outbox (
    id ${uuid} PRIMARY KEY,
    sealed TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at ${text} NOT NULL,
    last_error TEXT,
    created_at ${text} NOT NULL,
    expires_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX mail_outbox_due ON mail_outbox (due_at)`

  // Addresses for which a link was requested, whether or not they have an account. Processed within seconds.
  yield* sql`CREATE TABLE password_reset_requests (
    id ${uuid} PRIMARY KEY, email_key ${text} NOT NULL, source_ip TEXT, created_at ${text} NOT NULL
  )`
  // A row is a link that works; using it deletes it.
  yield* sql`CREATE TABLE password_resets (
    id ${uuid} PRIMARY KEY,
    user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash ${text} NOT NULL UNIQUE,
    created_at ${text} NOT NULL,
    expires_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX password_resets_user ON password_resets (user_id, expires_at)`
  yield* sql`CREATE INDEX password_resets_expires ON password_resets (expires_at)`

  yield* sql`CREATE TABLE invitations (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    email_key ${text} NOT NULL,
    role TEXT NOT NULL,
    token_hash ${text} NOT NULL UNIQUE,
    invited_by ${uuid} REFERENCES users (id) ON DELETE CASCADE,
    created_at ${text} NOT NULL,
    expires_at ${text} NOT NULL,
    accepted_at ${text},
    revoked_at ${text}
  )`
  yield* sql`CREATE INDEX invitations_project ON invitations (project_id, id)`
  yield* sql`CREATE INDEX invitations_inviter ON invitations (invited_by)`
  yield* sql`CREATE INDEX invitations_email ON invitations (email_key, created_at)`
  yield* sql`CREATE INDEX invitations_expires ON invitations (expires_at)`
  yield* sql`CREATE UNIQUE INDEX invitations_open ON invitations (project_id, email_key)
    WHERE accepted_at IS NULL AND revoked_at IS NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["invitations", "password_resets", "password_reset_requests", "mail_outbox"]) {
    yield* sql`DROP TABLE ${sql(table)}`
  }
})

export const m0002: Migration = { id: 2, name: "invitations", compatibleFrom: 1, up, down }
