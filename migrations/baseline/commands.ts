import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** Commands, and the durable jobs that send many of them. */
export const commands: AreaTables = {
  names: ["commands", "bulk_jobs", "bulk_retry_items", "bulk_actions"],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { text, uuid } = types(sql)

    yield* sql`CREATE TABLE commands (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL,
      agent_id ${uuid},
      issued_by ${uuid},
      action TEXT NOT NULL,
      engine TEXT,
      target_type TEXT NOT NULL,
      target_id TEXT,
      payload TEXT NOT NULL,
      sealed_payload TEXT,
      status ${text} NOT NULL,
      result TEXT,
      error TEXT,
      idempotency_key ${text},
      request_hash TEXT,
      worker_id TEXT,
      session_id TEXT,
      issued_at ${text} NOT NULL,
      dispatched_at ${text},
      acked_at ${text},
      completed_at ${text},
      timeout_at ${text} NOT NULL,
      -- the only session that the command may be sent to; null: any session of its agent
      bound_session_id TEXT,
      -- null again once the job has counted the outcome
      bulk_job_id ${uuid},
      -- the pool of the worker that the command names, before it (JSON)
      worker_before ${text},
      -- the task that it submitted for a schedule, as its result says
      created_task_id ${text}
    )`
    yield* sql`CREATE INDEX commands_list ON commands (project_id, id)`
    // what charts mark: the condition is that of services/operations/Marks/Repo.ts
    yield* sql`CREATE INDEX commands_of_users ON commands (project_id, id)
      WHERE issued_by IS NOT NULL AND action <> 'dlq.list'`
    yield* sql`CREATE INDEX commands_status ON commands (project_id, status, id)`
    yield* sql`CREATE INDEX commands_pending ON commands (agent_id, id) WHERE status = 'pending'`
    yield* sql`CREATE INDEX commands_dispatched ON commands (agent_id, worker_id) WHERE status = 'dispatched'`
    yield* sql`CREATE INDEX commands_overdue ON commands (timeout_at) WHERE status IN ('pending', 'dispatched')`
    yield* sql`CREATE INDEX commands_completed ON commands (completed_at) WHERE completed_at IS NOT NULL`
    yield* sql`CREATE UNIQUE INDEX commands_idempotency ON commands (project_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL`
    yield* sql`CREATE INDEX commands_control ON commands (project_id, engine, id)
      WHERE action IN ('rate_limit', 'add_consumer', 'cancel_consumer')`
    yield* sql`CREATE INDEX commands_task ON commands (project_id, engine, target_id, id) WHERE target_type = 'task'`
    yield* sql`CREATE INDEX commands_created_task ON commands (project_id, engine, created_task_id)
      WHERE created_task_id IS NOT NULL`
    // partial: few commands belong to a job
    yield* sql`CREATE INDEX commands_bulk_job ON commands (bulk_job_id, status) WHERE bulk_job_id IS NOT NULL`

    // Jobs that retry, delete or cancel many tasks. `created_by` has no foreign key: the job outlives the account.
    yield* sql`CREATE TABLE bulk_jobs (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      action ${text} NOT NULL,
      filter ${text} NOT NULL,
      status ${text} NOT NULL,
      total INTEGER,
      claimed INTEGER NOT NULL,
      succeeded INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      unknown INTEGER NOT NULL,
      unobserved INTEGER NOT NULL,
      created_by ${uuid},
      created_at ${text} NOT NULL,
      -- null until all tasks of a retry are stored: such a row is shown nowhere, and a sweeper deletes it
      sealed_at ${text},
      deadline_at ${text} NOT NULL,
      finished_at ${text},
      resolved_at ${text},
      -- of a retry
      idempotency_key ${text},
      canonical_digest TEXT,
      plan_digest TEXT,
      max INTEGER,
      capped INTEGER,
      engines TEXT,
      target_name TEXT,
      target_agent_id ${uuid},
      rate_per_second DOUBLE PRECISION,
      control_state ${text},
      last_progress_at ${text},
      -- of a deletion or cancellation: JSON, the id after which the walk over the tasks continues, by engine; an engine
      -- without one is done
      cursors ${text},
      as_of ${text}
    )`
    yield* sql`CREATE UNIQUE INDEX bulk_jobs_key ON bulk_jobs (project_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL AND sealed_at IS NOT NULL`
    yield* sql`CREATE INDEX bulk_jobs_retries ON bulk_jobs (project_id, id) WHERE action = 'retry'`
    yield* sql`CREATE INDEX bulk_jobs_walks ON bulk_jobs (project_id, id) WHERE action <> 'retry'`
    yield* sql`CREATE INDEX bulk_jobs_open ON bulk_jobs (id) WHERE resolved_at IS NULL`
    yield* sql`CREATE INDEX bulk_jobs_finished ON bulk_jobs (finished_at) WHERE finished_at IS NOT NULL`

    // The tasks that were frozen for a retry.
    // No foreign keys: up to 100 000 rows a request, which are deleted in slices.
    yield* sql`CREATE TABLE bulk_retry_items (
      project_id ${uuid} NOT NULL,
      request_id ${uuid} NOT NULL,
      position INTEGER NOT NULL,
      engine ${text} NOT NULL,
      task_id ${text} NOT NULL,
      name TEXT NOT NULL,
      state TEXT NOT NULL,
      status ${text} NOT NULL,
      reason TEXT,
      error TEXT,
      command_id ${uuid},
      new_task_id TEXT,
      claimed_at TEXT,
      ended_at TEXT,
      PRIMARY KEY (project_id, request_id, position)
    )`
    yield* sql`CREATE INDEX bulk_retry_items_status ON bulk_retry_items (request_id, status, engine, position)`

    // How many tasks a person's bulk operations took (docs/approvals.md).
    yield* sql`CREATE TABLE bulk_actions (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      tasks INTEGER NOT NULL,
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX bulk_actions_person ON bulk_actions (project_id, user_id, created_at)`
    yield* sql`CREATE INDEX bulk_actions_user ON bulk_actions (user_id)`
    yield* sql`CREATE INDEX bulk_actions_created ON bulk_actions (created_at)`
  })
}
