import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** `cursor_at`: when the next tick was computed. A time in the future says that the clock was set back since. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE schedules ADD COLUMN cursor_at ${types(sql).text}`
  yield* sql`CREATE INDEX schedules_cursor ON schedules (cursor_at) WHERE scheduler = 'svc-scheduler'`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX schedules_cursor`
  yield* sql`ALTER TABLE schedules DROP COLUMN cursor_at`
})

export const m0012: Migration = { id: 12, name: "schedule_clock", compatibleFrom: 5, up, down }
