import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/**
 * The audit log and its chain (docs/audit.md), and the exports that run in the background. Every list of the log goes
 * along `seq`, so that each index ends with it: a page with a filter is a few places in one index.
 */
export const audit: AreaTables = {
  names: [
    "audit_log",
    "audit_head",
    "audit_watermark",
    "audit_verification",
    "audit_keys",
    "export_jobs",
    "export_job_chunks"
  ],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { bigint, text, uuid } = types(sql)

    yield* sql`CREATE TABLE audit_log (
      id ${uuid} PRIMARY KEY,
      seq ${bigint} NOT NULL UNIQUE,
      project_id ${uuid},
      user_id ${uuid},
      api_key_id ${uuid},
      action ${text} NOT NULL,
      target_type TEXT NOT NULL,
      target_id TEXT,
      result TEXT NOT NULL,
      outcome TEXT NOT NULL,
      metadata TEXT NOT NULL,
      source_ip TEXT,
      user_agent TEXT,
      event_id TEXT,
      occurred_at ${text} NOT NULL,
      row_hash TEXT NOT NULL,
      prev_row_hmac TEXT NOT NULL,
      row_hmac TEXT NOT NULL,
      key_id TEXT NOT NULL
    )`
    yield* sql`CREATE INDEX audit_log_time ON audit_log (occurred_at, id)`
    yield* sql`CREATE INDEX audit_log_action ON audit_log (action, seq)`
    yield* sql`CREATE INDEX audit_log_project_seq ON audit_log (project_id, seq)`
    yield* sql`CREATE INDEX audit_log_project_action ON audit_log (project_id, action, seq)`
    yield* sql`CREATE INDEX audit_log_project_user ON audit_log (project_id, user_id, action, seq) WHERE user_id IS NOT NULL`
    // what users did, among the many rows of agents and of the program
    yield* sql`CREATE INDEX audit_log_project_people ON audit_log (project_id, seq) WHERE user_id IS NOT NULL`
    yield* sql`CREATE INDEX audit_log_project_people_action ON audit_log (project_id, action, seq)
      WHERE user_id IS NOT NULL`
    // the same of all projects, for global admins: without it a feed would read the ranges of each project
    yield* sql`CREATE INDEX audit_log_people ON audit_log (seq) WHERE user_id IS NOT NULL`
    yield* sql`CREATE INDEX audit_log_people_action ON audit_log (action, seq) WHERE user_id IS NOT NULL`
    yield* sql`CREATE INDEX audit_log_project_denied ON audit_log (project_id, seq) WHERE outcome = 'deny'`
    // for the page of a task
    yield* sql`CREATE INDEX audit_log_target ON audit_log (project_id, target_id, seq) WHERE target_id IS NOT NULL`

    // One row, with the id 1, as in the two tables after it. It has the newest row's time, so that times rise along seq.
    yield* sql`CREATE TABLE audit_head (
      id INTEGER PRIMARY KEY, seq ${bigint} NOT NULL, row_hash TEXT NOT NULL, prev_row_hmac TEXT NOT NULL, row_hmac TEXT NOT NULL,
      key_id TEXT NOT NULL,
      occurred_at ${text}
    )`

    yield* sql`CREATE TABLE audit_watermark (id INTEGER PRIMARY KEY, seq ${bigint} NOT NULL, statement TEXT NOT NULL)`

    yield* sql`CREATE TABLE audit_verification (
      id INTEGER PRIMARY KEY,
      -- a person asked for it, and it has not ended
      requested_at ${text},
      -- it runs, or its process died, until a later finished_at
      claimed_at ${text},
      checked_rows ${bigint} NOT NULL DEFAULT 0,
      total_rows ${bigint} NOT NULL DEFAULT 0,
      -- the last one that ended; problem: JSON of what is wrong with the log, and where
      finished_at ${text}, outcome TEXT, rows ${bigint}, problem TEXT
    )`

    yield* sql`CREATE TABLE audit_keys (
      key_id ${text} PRIMARY KEY, purpose TEXT NOT NULL, state TEXT NOT NULL, public_key TEXT, created_at ${text} NOT NULL
    )`

    // `user_id` has no foreign key: the job outlives the account. `total_rows`: the rows that the file is to have.
    // `deleted_at`: when a person deleted it. It is hidden at once, and the process that writes exports deletes its file,
    // which may have thousands of chunks.
    yield* sql`CREATE TABLE export_jobs (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      user_id ${uuid} NOT NULL,
      type ${text} NOT NULL,
      -- whether the file shows what not all readers of its kind may see
      shows_hidden INTEGER NOT NULL,
      format ${text} NOT NULL,
      filters ${text} NOT NULL,
      status ${text} NOT NULL,
      attempts INTEGER NOT NULL,
      row_count INTEGER,
      size_bytes ${bigint},
      truncated INTEGER NOT NULL,
      error ${text},
      total_rows INTEGER,
      deleted_at ${text},
      created_at ${text} NOT NULL,
      started_at ${text},
      completed_at ${text}
    )`
    yield* sql`CREATE INDEX export_jobs_project ON export_jobs (project_id, type, id)`
    yield* sql`CREATE INDEX export_jobs_open ON export_jobs (type, id) WHERE completed_at IS NULL`
    yield* sql`CREATE INDEX export_jobs_deleted ON export_jobs (type, id) WHERE deleted_at IS NOT NULL`

    // In chunks, so that each replica can send them; `content` is base64, since backups have texts and numbers only.
    yield* sql`CREATE TABLE export_job_chunks (
      job_id ${uuid} NOT NULL REFERENCES export_jobs (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      content ${text} NOT NULL,
      PRIMARY KEY (job_id, position)
    )`
  })
}
