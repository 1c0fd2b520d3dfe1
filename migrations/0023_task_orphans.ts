import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Started tasks whose worker is gone, and the commands that may keep a task from running. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)

  // One row a task, of its last orphaned attempt: `started_at` names the attempt.
  yield* sql`CREATE TABLE task_orphans (
    project_id ${uuid} NOT NULL,
    engine ${text} NOT NULL,
    task_id ${text} NOT NULL,
    started_at ${text} NOT NULL,
    worker_name ${text},
    detail TEXT NOT NULL,
    orphaned_at ${text} NOT NULL,
    PRIMARY KEY (project_id, engine, task_id)
  )`
  yield* sql`CREATE INDEX task_orphans_at ON task_orphans (orphaned_at)`
  yield* sql`CREATE INDEX commands_control ON commands (project_id, engine, id)
    WHERE action IN ('rate_limit', 'add_consumer', 'cancel_consumer')`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX commands_control`
  yield* sql`DROP TABLE task_orphans`
})

export const m0023: Migration = { id: 23, name: "task_orphans", compatibleFrom: 5, up, down }
