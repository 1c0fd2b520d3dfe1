import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Ended and failed tasks of subscriptions to task.failure_rate, by minute, and those whose rate is reached now. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)

  // Without a reference: the ingest must not fail when a subscription is deleted. Rows expire after the longest window.
  yield* sql`CREATE TABLE failure_rate_minutes (
    subscription_id ${uuid} NOT NULL,
    minute INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (subscription_id, minute, slot)
  )`
  yield* sql`CREATE INDEX failure_rate_minutes_age ON failure_rate_minutes (minute)`
  yield* sql`CREATE TABLE failure_rate_episodes (
    subscription_id ${uuid} PRIMARY KEY REFERENCES subscriptions (id) ON DELETE CASCADE,
    began_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX subscriptions_failure_rate ON subscriptions (id) WHERE trigger_key = 'task.failure_rate'`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX subscriptions_failure_rate`
  yield* sql`DROP TABLE failure_rate_episodes`
  yield* sql`DROP TABLE failure_rate_minutes`
})

export const m0027: Migration = { id: 27, name: "failure_rates", compatibleFrom: 5, up, down }
