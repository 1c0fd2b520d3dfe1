import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Exports of the audit log that run in the background (`services/audit/AuditExports.ts`), and their files in chunks, so that each
 * replica can send them; `content` is base64, since backups have texts and numbers only. `user_id` has no foreign key: the job outlives the account.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, text, uuid } = types(sql)
  yield* sql`CREATE TABLE export_jobs (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id ${uuid} NOT NULL,
    shows_addresses INTEGER NOT NULL,
    format ${text} NOT NULL,
    filters ${text} NOT NULL,
    status ${text} NOT NULL,
    attempts INTEGER NOT NULL,
    row_count INTEGER,
    size_bytes ${bigint},
    truncated INTEGER NOT NULL,
    error ${text},
    created_at ${text} NOT NULL,
    started_at ${text},
    completed_at ${text}
  )`
  yield* sql`CREATE INDEX export_jobs_project ON export_jobs (project_id, id)`
  yield* sql`CREATE INDEX export_jobs_open ON export_jobs (id) WHERE completed_at IS NULL`
  yield* sql`CREATE TABLE export_job_chunks (
    job_id ${uuid} NOT NULL REFERENCES export_jobs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    content ${text} NOT NULL,
    PRIMARY KEY (job_id, position)
  )`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE export_job_chunks`
  yield* sql`DROP TABLE export_jobs`
})

export const m0040: Migration = { id: 40, name: "export_jobs", compatibleFrom: 5, up, down }
