import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/** Finds the retry of a rule that a task is taken to be. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX automation_executions_successor
    ON automation_executions (project_id, engine, successor_task_id) WHERE successor_task_id IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX automation_executions_successor`
})

export const m0029: Migration = { id: 29, name: "automation_successors", compatibleFrom: 5, up, down }
