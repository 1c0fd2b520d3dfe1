import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * What misfires of engines' own schedulers need. `observed_at`: when the agent read its newest snapshot, by its clock.
 * `is_awaited`: the schedules of an ended stream have their next run in `due_at`.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text } = types(sql)
  yield* sql`ALTER TABLE schedule_streams ADD COLUMN observed_at ${text}`
  yield* sql`ALTER TABLE schedule_streams ADD COLUMN is_awaited INTEGER NOT NULL DEFAULT 0`
  yield* sql`CREATE INDEX schedules_external_due ON schedules (due_at)
    WHERE stream_id IS NOT NULL AND is_enabled = 1 AND due_at IS NOT NULL`
  yield* sql`CREATE INDEX schedules_stream ON schedules (stream_id) WHERE stream_id IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX schedules_stream`
  yield* sql`DROP INDEX schedules_external_due`
  yield* sql`ALTER TABLE schedule_streams DROP COLUMN is_awaited`
  yield* sql`ALTER TABLE schedule_streams DROP COLUMN observed_at`
})

export const m0017: Migration = { id: 17, name: "external_misfires", compatibleFrom: 5, up, down }
