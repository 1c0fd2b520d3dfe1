import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Where an account is known: addresses that it signed in from, and browsers that it trusts. Wrong passwords from there
 * count for that place alone, so that guesses from elsewhere, which lock the account, do not lock its owner out.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)
  yield* sql`CREATE TABLE login_places (
    user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    place ${text} NOT NULL,
    seen_at ${text} NOT NULL,
    failed_logins INTEGER NOT NULL,
    locked_until ${text},
    PRIMARY KEY (user_id, place)
  )`
  yield* sql`CREATE INDEX login_places_seen ON login_places (seen_at)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE login_places`
})

export const m0050: Migration = { id: 50, name: "login_places", compatibleFrom: 5, up, down }
