import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/**
 * What has ended is found by when it ended, and what hangs on a project or an agent by that. Partial, so that what is in
 * use costs nothing more.
 */
const indexes = [
  ["sessions", "revoked_at"],
  ["trusted_devices", "revoked_at"],
  ["api_keys", "revoked_at"],
  ["api_keys", "expires_at"],
  ["api_keys", "project_id"],
  ["workers", "agent_id"]
] as const

const nameOf = (table: string, column: string): string => `${table}_${column.replace(/_(at|id)$/, "")}`

const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const [table, column] of indexes) {
    yield* sql`CREATE INDEX ${sql(nameOf(table, column))} ON ${sql(table)} (${sql(column)}) WHERE ${
      sql(column)
    } IS NOT NULL`
  }
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const [table, column] of indexes) yield* sql`DROP INDEX ${sql(nameOf(table, column))}`
})

/** An older program cannot decrypt values that name their key id. */
export const m0005: Migration = { id: 5, name: "ended", compatibleFrom: 5, up, down }
