import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Exports of tasks that run in the background (`services/tasks/TaskExports.ts`). They have tables of their own, because replicas
 * of older versions write the file of any open row of `export_jobs` as an audit log. `user_id` has no foreign key: the job
 * outlives the account. `total_rows`: the rows that a file is to have.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, text, uuid } = types(sql)
  yield* sql`CREATE TABLE task_export_jobs (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id ${uuid} NOT NULL,
    shows_payload INTEGER NOT NULL,
    format ${text} NOT NULL,
    filters ${text} NOT NULL,
    status ${text} NOT NULL,
    attempts INTEGER NOT NULL,
    total_rows INTEGER,
    row_count INTEGER,
    size_bytes ${bigint},
    truncated INTEGER NOT NULL,
    error ${text},
    created_at ${text} NOT NULL,
    started_at ${text},
    completed_at ${text}
  )`
  yield* sql`CREATE INDEX task_export_jobs_project ON task_export_jobs (project_id, id)`
  yield* sql`CREATE INDEX task_export_jobs_open ON task_export_jobs (id) WHERE completed_at IS NULL`
  yield* sql`CREATE TABLE task_export_job_chunks (
    job_id ${uuid} NOT NULL REFERENCES task_export_jobs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    content ${text} NOT NULL,
    PRIMARY KEY (job_id, position)
  )`
  yield* sql`ALTER TABLE export_jobs ADD COLUMN total_rows INTEGER`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE export_jobs DROP COLUMN total_rows`
  yield* sql`DROP TABLE task_export_job_chunks`
  yield* sql`DROP TABLE task_export_jobs`
})

export const m0046: Migration = { id: 46, name: "task_export_jobs", compatibleFrom: 5, up, down }
