import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/** A search in exceptions walks the tasks that have one, which are few, and not all tasks. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX tasks_exception ON tasks (project_id, id) WHERE exception IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX tasks_exception`
})

export const m0007: Migration = { id: 7, name: "task_exceptions", compatibleFrom: 5, up, down }
