import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/** Whether agent.offline was recorded for an agent's present time offline: once, and agent.online only after it. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE agents ADD COLUMN offline_reported INTEGER NOT NULL DEFAULT 0`
  yield* sql`UPDATE agents SET offline_reported = 1 WHERE state <> 'online'`
  yield* sql`CREATE INDEX agents_unreported ON agents (updated_at) WHERE state = 'offline' AND offline_reported = 0`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX agents_unreported`
  yield* sql`ALTER TABLE agents DROP COLUMN offline_reported`
})

export const m0024: Migration = { id: 24, name: "offline_episodes", compatibleFrom: 5, up, down }
