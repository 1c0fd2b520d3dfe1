import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Which task a retry of which task made, as the result of the command says. The primary key finds a task's original,
 * the first index its retries, newest command first; the second serves the retention, since command ids sort by time.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)
  yield* sql`CREATE TABLE task_retries (
    project_id ${uuid} NOT NULL,
    engine ${text} NOT NULL,
    task_id ${text} NOT NULL,
    new_task_id ${text} NOT NULL,
    command_id ${uuid} NOT NULL,
    PRIMARY KEY (project_id, engine, new_task_id, task_id)
  )`
  yield* sql`CREATE INDEX task_retries_of_task ON task_retries (project_id, engine, task_id, command_id)`
  yield* sql`CREATE INDEX task_retries_command ON task_retries (command_id)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE task_retries`
})

export const m0008: Migration = { id: 8, name: "task_retries", compatibleFrom: 5, up, down }
