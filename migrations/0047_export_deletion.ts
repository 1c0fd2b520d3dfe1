import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

const tables = ["export_jobs", "task_export_jobs"]

/**
 * When a person deleted an export: it is hidden at once, and the process that writes exports deletes its file, which may
 * have thousands of chunks. Not a status: replicas of older versions fail on a status that they do not know.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text } = types(sql)
  for (const table of tables) {
    yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN deleted_at ${text}`
    yield* sql`CREATE INDEX ${sql(`${table}_deleted`)} ON ${sql(table)} (id) WHERE deleted_at IS NOT NULL`
  }
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const table of tables) {
    yield* sql`DELETE FROM ${sql(table)} WHERE deleted_at IS NOT NULL`
    yield* sql`DROP INDEX ${sql(`${table}_deleted`)}`
    yield* sql`ALTER TABLE ${sql(table)} DROP COLUMN deleted_at`
  }
})

export const m0047: Migration = { id: 47, name: "export_deletion", compatibleFrom: 5, up, down }
