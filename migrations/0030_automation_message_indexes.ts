import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/** Finds the messages of a rule that are held back, and those of the last minute, without the others. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX automation_messages_held ON automation_messages (rule_id, due_at) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX automation_messages_recent ON automation_messages (rule_id, sent_at) WHERE sent_at IS NOT NULL`
  yield* sql`DROP INDEX automation_messages_due`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX automation_messages_due ON automation_messages (due_at) WHERE due_at IS NOT NULL`
  yield* sql`DROP INDEX automation_messages_recent`
  yield* sql`DROP INDEX automation_messages_held`
})

export const m0030: Migration = { id: 30, name: "automation_message_indexes", compatibleFrom: 5, up, down }
