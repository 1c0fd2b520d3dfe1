import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/** Filters of the lists of alerts and of personal deliveries: without these, a rare value reads a million rows. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX alerts_status ON alerts (project_id, status, id)`
  yield* sql`CREATE INDEX deliveries_user_status ON deliveries (user_id, status, id) WHERE user_id IS NOT NULL`
  yield* sql`CREATE INDEX deliveries_user_trigger ON deliveries (user_id, trigger_key, id) WHERE user_id IS NOT NULL`
  yield* sql`CREATE INDEX deliveries_user_project ON deliveries (user_id, project_id, id) WHERE user_id IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX deliveries_user_project`
  yield* sql`DROP INDEX deliveries_user_trigger`
  yield* sql`DROP INDEX deliveries_user_status`
  yield* sql`DROP INDEX alerts_status`
})

export const m0032: Migration = { id: 32, name: "notification_lists", compatibleFrom: 5, up, down }
