import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Durable bulk jobs, which delete or cancel all tasks of a filter (`services/commands/BulkJobs.ts`). `created_by` has no foreign key:
 * the job outlives the account.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)
  // cursors: JSON, the id after which the walk over the tasks goes on, by engine; an engine without one is done
  yield* sql`CREATE TABLE bulk_jobs (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    act ${text} NOT NULL,
    filter ${text} NOT NULL,
    status ${text} NOT NULL,
    total INTEGER,
    done INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    cursors ${text} NOT NULL,
    outcomes ${text},
    created_by ${uuid},
    created_at ${text} NOT NULL,
    as_of ${text} NOT NULL,
    deadline_at ${text} NOT NULL,
    finished_at ${text},
    settled_at ${text}
  )`
  yield* sql`CREATE INDEX bulk_jobs_project ON bulk_jobs (project_id, id)`
  yield* sql`CREATE INDEX bulk_jobs_open ON bulk_jobs (id) WHERE settled_at IS NULL`
  yield* sql`CREATE INDEX bulk_jobs_finished ON bulk_jobs (finished_at) WHERE finished_at IS NOT NULL`
  yield* sql`ALTER TABLE commands ADD COLUMN bulk_job_id ${uuid}`
  // null again once the job has counted the outcome; partial: few commands belong to a job
  yield* sql`CREATE INDEX commands_bulk_job ON commands (bulk_job_id, status) WHERE bulk_job_id IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX commands_bulk_job`
  yield* sql`ALTER TABLE commands DROP COLUMN bulk_job_id`
  yield* sql`DROP TABLE bulk_jobs`
})

export const m0045: Migration = { id: 45, name: "bulk_jobs", compatibleFrom: 5, up, down }
