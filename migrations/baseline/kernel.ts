import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** Key fingerprints, leases, responses by idempotency key, and outgoing mail. */
export const kernel: AreaTables = {
  names: ["key_fingerprints", "leases", "idempotency_keys", "mail_outbox"],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { bigint, serial, text, uuid } = types(sql)

    yield* sql`CREATE TABLE key_fingerprints (
      name ${text} PRIMARY KEY, fingerprint TEXT NOT NULL, created_at ${text} NOT NULL
    )`

    // Who leads: one row for each lease that a process holds (`services/kernel/concurrency/Leader.ts`). `fence` is never
    // used twice, also when the row before it was deleted. `expires_at` is epoch milliseconds of the database's own clock.
    yield* sql`CREATE TABLE leases (
      fence ${serial},
      name ${text} NOT NULL UNIQUE,
      holder ${text} NOT NULL,
      expires_at ${bigint} NOT NULL
    )`

    yield* sql`CREATE TABLE idempotency_keys (
      scope ${text} PRIMARY KEY,
      body_hash TEXT NOT NULL,
      status INTEGER,
      response TEXT,
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at)`

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
  })
}
