import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, serial, text, uuid } = types(sql)

  yield* sql`CREATE TABLE key_fingerprints (
    name ${text} PRIMARY KEY, fingerprint TEXT NOT NULL, created_at ${text} NOT NULL
  )`

  yield* sql`CREATE TABLE users (
    id ${uuid} PRIMARY KEY,
    email TEXT NOT NULL,
    email_key ${text} NOT NULL UNIQUE,
    first_name TEXT, last_name TEXT, display_name TEXT,
    password_hash TEXT NOT NULL,
    is_admin INTEGER NOT NULL,
    is_active INTEGER NOT NULL,
    timezone TEXT NOT NULL,
    failed_logins INTEGER NOT NULL DEFAULT 0,
    locked_until ${text},
    last_login_at ${text},
    created_at ${text} NOT NULL,
    updated_at ${text} NOT NULL
  )`

  yield* sql`CREATE TABLE sessions (
    id ${uuid} PRIMARY KEY,
    user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash ${text} NOT NULL UNIQUE,
    remember_me INTEGER NOT NULL,
    issued_at ${text} NOT NULL,
    last_seen_at ${text} NOT NULL,
    expires_at ${text} NOT NULL,
    revoked_at ${text},
    ip_at_issue TEXT NOT NULL,
    user_agent_at_issue TEXT
  )`
  yield* sql`CREATE INDEX sessions_user ON sessions (user_id)`
  yield* sql`CREATE INDEX sessions_expires ON sessions (expires_at)`

  yield* sql`CREATE TABLE setup_tokens (
    id ${uuid} PRIMARY KEY, token_hash ${text} NOT NULL UNIQUE, created_at ${text} NOT NULL, expires_at ${text} NOT NULL
  )`

  yield* sql`CREATE TABLE setup_attempts (
    id ${uuid} PRIMARY KEY, source_ip ${text} NOT NULL, attempted_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX setup_attempts_at ON setup_attempts (attempted_at)`

  yield* sql`CREATE TABLE projects (
    id ${uuid} PRIMARY KEY,
    slug ${text} NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT,
    environment TEXT NOT NULL,
    timezone TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    default_scheduler_owner TEXT NOT NULL,
    allowed_schedulers TEXT,
    created_at ${text} NOT NULL,
    updated_at ${text} NOT NULL
  )`

  // Deleted projects whose tasks and commands are still being removed, slice by slice.
  yield* sql`CREATE TABLE project_deletions (
    project_id ${uuid} PRIMARY KEY, created_at ${text} NOT NULL
  )`

  yield* sql`CREATE TABLE memberships (
    id ${uuid} PRIMARY KEY,
    user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    created_at ${text} NOT NULL,
    UNIQUE (user_id, project_id)
  )`
  yield* sql`CREATE INDEX memberships_project ON memberships (project_id)`

  yield* sql`CREATE TABLE api_keys (
    id ${uuid} PRIMARY KEY,
    user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    token_hash ${text} NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    project_id ${uuid} REFERENCES projects (id) ON DELETE CASCADE,
    allowed_cidrs TEXT,
    last_used_at ${text},
    last_used_ip TEXT,
    expires_at ${text},
    revoked_at ${text},
    revoked_reason TEXT,
    created_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX api_keys_user ON api_keys (user_id)`

  yield* sql`CREATE TABLE idempotency_keys (
    scope ${text} PRIMARY KEY,
    body_hash TEXT NOT NULL,
    status INTEGER,
    response TEXT,
    created_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at)`

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
  yield* sql`CREATE INDEX audit_log_project ON audit_log (project_id, id)`
  // one row each, with the id 1
  yield* sql`CREATE TABLE audit_head (
    id INTEGER PRIMARY KEY, seq ${bigint} NOT NULL, row_hash TEXT NOT NULL, prev_row_hmac TEXT NOT NULL, row_hmac TEXT NOT NULL,
    key_id TEXT NOT NULL
  )`
  yield* sql`CREATE TABLE audit_watermark (id INTEGER PRIMARY KEY, seq ${bigint} NOT NULL, statement TEXT NOT NULL)`
  yield* sql`CREATE TABLE audit_verification (
    id INTEGER PRIMARY KEY, claimed_at ${text} NOT NULL, finished_at ${text}, outcome TEXT, rows ${bigint}
  )`
  yield* sql`CREATE TABLE audit_keys (
    key_id ${text} PRIMARY KEY, purpose TEXT NOT NULL, state TEXT NOT NULL, public_key TEXT, created_at ${text} NOT NULL
  )`

  yield* sql`CREATE TABLE agents (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    token_hash ${text} NOT NULL UNIQUE,
    hmac_secret TEXT NOT NULL,
    state TEXT NOT NULL,
    protocol_version TEXT NOT NULL,
    framework_adapter TEXT NOT NULL,
    engine_adapters TEXT NOT NULL,
    scheduler_adapters TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    host_name TEXT,
    agent_version TEXT,
    last_seen_at ${text},
    last_connect_at ${text},
    last_refused_at ${text},
    last_refused_reason TEXT,
    last_refused_detail TEXT,
    setup_advice TEXT NOT NULL DEFAULT '[]',
    created_at ${text} NOT NULL,
    updated_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX agents_project ON agents (project_id)`

  yield* sql`CREATE TABLE agent_workers (
    id ${uuid} PRIMARY KEY,
    agent_id ${uuid} NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    worker_id ${text} NOT NULL,
    role TEXT,
    framework TEXT,
    pid INTEGER,
    started_at ${text},
    engines TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    state TEXT NOT NULL,
    session_id TEXT,
    last_seen_at ${text},
    last_connect_at ${text},
    created_at ${text} NOT NULL,
    updated_at ${text} NOT NULL,
    UNIQUE (agent_id, worker_id)
  )`
  yield* sql`CREATE INDEX agent_workers_project ON agent_workers (project_id, id)`
  // two, so that a heartbeat changes one: who has gone quiet, and who has been away for long
  yield* sql`CREATE INDEX agent_workers_online ON agent_workers (last_seen_at) WHERE state = 'online'`
  yield* sql`CREATE INDEX agent_workers_offline ON agent_workers (last_seen_at) WHERE state = 'offline'`

  yield* sql`CREATE TABLE agent_health (
    id ${serial},
    agent_id ${uuid} NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    worker_id TEXT,
    captured_at ${text} NOT NULL,
    telemetry_loss TEXT
  )`
  yield* sql`CREATE INDEX agent_health_agent ON agent_health (agent_id, id)`
  yield* sql`CREATE INDEX agent_health_captured ON agent_health (captured_at)`

  yield* sql`CREATE TABLE workers (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    engine ${text} NOT NULL,
    name ${text} NOT NULL,
    hostname TEXT,
    pid INTEGER,
    concurrency INTEGER,
    queues TEXT NOT NULL,
    state TEXT NOT NULL,
    last_heartbeat ${text},
    load_average TEXT,
    active_tasks INTEGER NOT NULL,
    processed ${bigint} NOT NULL,
    failed ${bigint} NOT NULL,
    succeeded ${bigint} NOT NULL,
    retried ${bigint} NOT NULL,
    metadata TEXT NOT NULL,
    agent_id ${uuid} REFERENCES agents (id) ON DELETE SET NULL,
    created_at ${text} NOT NULL,
    updated_at ${text} NOT NULL,
    UNIQUE (project_id, engine, name)
  )`

  yield* sql`CREATE INDEX workers_online ON workers (last_heartbeat) WHERE state = 'online'`

  yield* sql`CREATE TABLE queues (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    engine ${text} NOT NULL,
    name ${text} NOT NULL,
    broker_type TEXT,
    broker_url_hint TEXT,
    depth ${bigint},
    last_seen_at ${text},
    created_at ${text} NOT NULL,
    UNIQUE (project_id, engine, name)
  )`

  // No foreign keys on the hot tables: a project's tasks are deleted in slices, and each insert would pay for the check.
  // Nor an index on the id alone, for the same reason: every lookup by id knows the project.
  yield* sql`CREATE TABLE tasks (
    id ${uuid} NOT NULL,
    project_id ${uuid} NOT NULL,
    engine ${text} NOT NULL,
    task_id ${text} NOT NULL,
    name ${text} NOT NULL,
    queue ${text},
    state ${text} NOT NULL,
    priority TEXT NOT NULL,
    args TEXT, kwargs TEXT, result TEXT,
    exception TEXT, traceback TEXT,
    retry_count INTEGER NOT NULL,
    eta ${text},
    received_at ${text},
    started_at ${text},
    finished_at ${text},
    runtime_ms ${bigint},
    worker_name ${text},
    parent_task_id ${text},
    root_task_id ${text},
    tags TEXT NOT NULL,
    first_event_at ${text} NOT NULL,
    history TEXT NOT NULL,
    revision INTEGER NOT NULL,
    created_at ${text} NOT NULL,
    updated_at ${text} NOT NULL,
    PRIMARY KEY (project_id, engine, task_id)
  )`
  // task_id beside the key: a search walks this index alone, newest first
  yield* sql`CREATE INDEX tasks_list ON tasks (project_id, id, task_id)`
  yield* sql`CREATE INDEX tasks_state ON tasks (project_id, state, id)`
  yield* sql`CREATE INDEX tasks_name ON tasks (project_id, name, id)`
  yield* sql`CREATE INDEX tasks_queue ON tasks (project_id, queue, id)`
  yield* sql`CREATE INDEX tasks_worker ON tasks (project_id, worker_name, id)`
  yield* sql`CREATE INDEX tasks_changes ON tasks (project_id, updated_at, id)` // the live stream reads what changed since
  yield* sql`CREATE INDEX tasks_root ON tasks (project_id, root_task_id, id) WHERE root_task_id IS NOT NULL`
  // id and created_at are of one moment, so `since` and `until` bound the id; but for these few, received in another hour
  yield* sql`CREATE INDEX tasks_other_hour ON tasks (project_id, id)
    WHERE substr(COALESCE(received_at, first_event_at), 1, 13) <> substr(created_at, 1, 13)`

  // The distinct names, queues and workers of a project's tasks: substring filters look here, never at each task.
  // `facet` is the column: name, queue or worker_name (src/domain/tasks/TaskFacet.ts).
  yield* sql`CREATE TABLE task_facets (
    project_id ${uuid} NOT NULL,
    facet ${text} NOT NULL,
    value ${text} NOT NULL,
    seen_at ${text} NOT NULL DEFAULT '',
    PRIMARY KEY (project_id, facet, value)
  )`

  // Tasks by state, kept by the writers; several slots, so that replicas do not wait for one row. The count is the sum.
  yield* sql`CREATE TABLE task_counts (
    project_id ${uuid} NOT NULL,
    state ${text} NOT NULL,
    slot INTEGER NOT NULL,
    tasks ${bigint} NOT NULL,
    PRIMARY KEY (project_id, state, slot)
  )`

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
    timeout_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX commands_list ON commands (project_id, id)`
  yield* sql`CREATE INDEX commands_status ON commands (project_id, status, id)`
  yield* sql`CREATE INDEX commands_pending ON commands (agent_id, id) WHERE status = 'pending'`
  yield* sql`CREATE INDEX commands_dispatched ON commands (agent_id, worker_id) WHERE status = 'dispatched'`
  yield* sql`CREATE INDEX commands_overdue ON commands (timeout_at) WHERE status IN ('pending', 'dispatched')`
  yield* sql`CREATE INDEX commands_completed ON commands (completed_at) WHERE completed_at IS NOT NULL`
  yield* sql`CREATE UNIQUE INDEX commands_idempotency ON commands (project_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL`
})

const tables = [
  "commands",
  "task_counts",
  "task_facets",
  "tasks",
  "queues",
  "workers",
  "agent_health",
  "agent_workers",
  "agents",
  "audit_keys",
  "audit_verification",
  "audit_watermark",
  "audit_head",
  "audit_log",
  "idempotency_keys",
  "api_keys",
  "memberships",
  "projects",
  "project_deletions",
  "setup_attempts",
  "setup_tokens",
  "sessions",
  "users",
  "key_fingerprints"
]

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const table of tables) yield* sql`DROP TABLE ${sql(table)}`
})

export const m0001: Migration = { id: 1, name: "main", compatibleFrom: 1, up, down }
