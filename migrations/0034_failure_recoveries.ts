import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Failed tasks whose retry succeeded under another id (docs/failures.md): `recovered_by` is the id of the task that did,
 * and `check_at` says when a link between a task and its retry is looked at next. Existing links are looked at once.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text } = types(sql)
  yield* sql`ALTER TABLE tasks ADD COLUMN recovered_by ${text}`
  yield* sql`ALTER TABLE task_retries ADD COLUMN check_at ${text}`
  yield* sql`ALTER TABLE task_retries ADD COLUMN recheck_at ${text}`
  yield* sql`UPDATE task_retries SET check_at = '1970-01-01T00:00:00.000000Z'`
  yield* sql`CREATE INDEX task_retries_check ON task_retries (check_at) WHERE check_at IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX task_retries_check`
  yield* sql`ALTER TABLE task_retries DROP COLUMN recheck_at`
  yield* sql`ALTER TABLE task_retries DROP COLUMN check_at`
  yield* sql`ALTER TABLE tasks DROP COLUMN recovered_by`
})

export const m0034: Migration = { id: 34, name: "failure_recoveries", compatibleFrom: 5, up, down }
