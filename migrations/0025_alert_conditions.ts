import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/** Finds when a condition was last told of, for the cooldown of a new alert. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX alerts_conditions ON alerts (subscription_id, condition_key, last_sent_at)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX alerts_conditions`
})

export const m0025: Migration = { id: 25, name: "alert_conditions", compatibleFrom: 5, up, down }
