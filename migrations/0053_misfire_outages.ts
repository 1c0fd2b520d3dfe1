import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/Migrations.ts"
import { types } from "./types.ts"

/**
 * The last tick of a misfire, so that the next missed tick is added to it instead of being another one. Null: a program
 * before this column wrote it, or it is of another scheduler.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text } = types(sql)
  yield* sql`ALTER TABLE schedule_misfires ADD COLUMN last_tick_at ${text}`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE schedule_misfires DROP COLUMN last_tick_at`
})

export const m0053: Migration = { id: 53, name: "misfire_outages", compatibleFrom: 5, up, down }
