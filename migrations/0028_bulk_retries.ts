import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Durable bulk retries: a request, and the tasks that were frozen for it. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)

  // sealed_at is null until all tasks of the request are stored: such a row is shown nowhere, and a sweeper deletes it
  yield* sql`CREATE TABLE bulk_retry_requests (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    idempotency_key ${text} NOT NULL,
    canonical_digest TEXT NOT NULL,
    plan_digest TEXT NOT NULL,
    filter TEXT NOT NULL,
    max INTEGER NOT NULL,
    capped INTEGER NOT NULL,
    engines TEXT NOT NULL,
    target_agent_id ${uuid},
    rate_per_second DOUBLE PRECISION,
    status ${text} NOT NULL,
    control_state ${text} NOT NULL,
    total INTEGER NOT NULL,
    claimed INTEGER NOT NULL,
    unobserved INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    created_by ${uuid},
    created_at ${text} NOT NULL,
    sealed_at ${text},
    deadline_at ${text} NOT NULL,
    last_progress_at ${text},
    finished_at ${text}
  )`
  yield* sql`CREATE UNIQUE INDEX bulk_retry_requests_key ON bulk_retry_requests (project_id, idempotency_key)
    WHERE sealed_at IS NOT NULL`
  yield* sql`CREATE INDEX bulk_retry_requests_list ON bulk_retry_requests (project_id, id)`
  yield* sql`CREATE INDEX bulk_retry_requests_open ON bulk_retry_requests (id) WHERE finished_at IS NULL`
  yield* sql`CREATE INDEX bulk_retry_requests_finished ON bulk_retry_requests (finished_at)
    WHERE finished_at IS NOT NULL`

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
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE bulk_retry_items`
  yield* sql`DROP TABLE bulk_retry_requests`
})

export const m0028: Migration = { id: 28, name: "bulk_retries", compatibleFrom: 5, up, down }
