import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * The last tick of a misfire, so that the next missed tick is added to it instead of being another one. Null: a program
 * before this column wrote it, or it is of another scheduler.
 *
 * And the connections of scheduler programs, by which all replicas know which of them call.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)
  yield* sql`ALTER TABLE schedule_misfires ADD COLUMN last_tick_at ${text}`
  yield* sql`CREATE TABLE scheduler_connections (
    id ${uuid} PRIMARY KEY,
    name TEXT NOT NULL,
    instance TEXT,
    connected_at ${text} NOT NULL,
    called_at ${text} NOT NULL,
    fired_at ${text}
  )`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE scheduler_connections`
  yield* sql`ALTER TABLE schedule_misfires DROP COLUMN last_tick_at`
})

export const m0051: Migration = { id: 51, name: "misfire_outages", compatibleFrom: 5, up, down }
