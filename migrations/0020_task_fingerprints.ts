import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Which failure a task had (docs/failures.md). Tasks that failed before have none. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text } = types(sql)
  yield* sql`ALTER TABLE tasks ADD COLUMN fingerprint ${text}`
  yield* sql`CREATE INDEX tasks_fingerprint ON tasks (project_id, fingerprint, id) WHERE fingerprint IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX tasks_fingerprint`
  yield* sql`ALTER TABLE tasks DROP COLUMN fingerprint`
})

export const m0020: Migration = { id: 20, name: "task_fingerprints", compatibleFrom: 5, up, down }
