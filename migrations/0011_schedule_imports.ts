import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/** `imported_digest`: the definition as its source wrote it, so that a later change by a person shows as drift. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE schedules ADD COLUMN imported_digest TEXT`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE schedules DROP COLUMN imported_digest`
})

export const m0011: Migration = { id: 11, name: "schedule_imports", compatibleFrom: 5, up, down }
