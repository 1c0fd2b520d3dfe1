import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { type Migration, MigrationRefused } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Schedules, their fires and misfires. On PostgreSQL fires are in partitions by the day of their tick, so that retention
 * drops whole partitions; `schedule_fires_default` takes ticks of days without one.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, text, uuid } = types(sql)

  // The newest `schedule_revision` of each project. Its row lock puts the changes of a project's schedules in order.
  yield* sql`CREATE TABLE schedule_revisions (
    project_id ${uuid} PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    revision ${bigint} NOT NULL
  )`

  yield* sql`CREATE TABLE schedules (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    engine ${text} NOT NULL,
    scheduler ${text} NOT NULL,
    name ${text} NOT NULL,
    task_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    expression TEXT NOT NULL,
    timezone TEXT NOT NULL,
    queue TEXT,
    args TEXT NOT NULL,
    kwargs TEXT NOT NULL,
    is_enabled INTEGER NOT NULL,
    last_run_at ${text},
    next_run_at ${text},
    due_at ${text},
    total_runs ${bigint} NOT NULL,
    external_id TEXT,
    catch_up TEXT NOT NULL,
    jitter_seconds INTEGER NOT NULL,
    grace_seconds INTEGER,
    paused_at ${text},
    source TEXT NOT NULL,
    source_hash TEXT,
    control_token ${uuid} NOT NULL,
    legacy_fire_control_token ${uuid},
    schedule_revision ${bigint} NOT NULL,
    quarantine_control_token ${uuid},
    quarantine_code TEXT,
    quarantine_detail TEXT,
    quarantined_at ${text},
    anchor_at ${text} NOT NULL,
    enabled_at ${text} NOT NULL,
    created_at ${text} NOT NULL,
    updated_at ${text} NOT NULL,
    UNIQUE (project_id, scheduler, name)
  )`
  yield* sql`CREATE INDEX schedules_list ON schedules (project_id, name, id)`
  yield* sql`CREATE INDEX schedules_revision ON schedules (project_id, schedule_revision)`
  // `due_at` is the next tick with its jitter
  yield* sql`CREATE INDEX schedules_due ON schedules (due_at) WHERE scheduler = 'svc-scheduler'
    AND is_enabled = 1 AND paused_at IS NULL AND quarantined_at IS NULL AND due_at IS NOT NULL`

  yield* sql`CREATE INDEX schedules_held ON schedules (due_at) WHERE (paused_at IS NOT NULL OR quarantined_at IS NOT NULL)`

  // `fire_id` follows from schedule and tick, so that (fire_id, scheduled_for) is unique exactly when fire_id is; a
  // partitioned table needs the partition's column in its key.
  const partitioned = sql.onDialectOrElse({
    pg: () => sql.literal("PARTITION BY RANGE (scheduled_for)"),
    orElse: () => sql.literal("")
  })
  yield* sql`CREATE TABLE schedule_fires (
    id ${uuid} NOT NULL,
    fire_id ${uuid} NOT NULL,
    project_id ${uuid} NOT NULL,
    schedule_id ${uuid} NOT NULL,
    engine ${text} NOT NULL,
    command_id ${uuid},
    status ${text} NOT NULL,
    scheduled_for ${text} NOT NULL,
    fired_at ${text} NOT NULL,
    acked_at ${text},
    latency_ms ${bigint},
    error_code TEXT,
    error_message TEXT,
    triggered_by_user_id ${uuid},
    definition_digest TEXT NOT NULL,
    expires_at ${text} NOT NULL,
    fence ${bigint} NOT NULL,
    PRIMARY KEY (fire_id, scheduled_for)
  ) ${partitioned}`
  yield* sql.onDialectOrElse({
    pg: () => sql`CREATE TABLE schedule_fires_default PARTITION OF schedule_fires DEFAULT`,
    orElse: () => sql`CREATE INDEX schedule_fires_tick ON schedule_fires (scheduled_for)` // for retention
  })
  yield* sql`CREATE INDEX schedule_fires_list ON schedule_fires (schedule_id, scheduled_for)`
  yield* sql`CREATE INDEX schedule_fires_project ON schedule_fires (project_id, fire_id)`
  yield* sql`CREATE INDEX schedule_fires_command ON schedule_fires (command_id) WHERE command_id IS NOT NULL`
  yield* sql`CREATE INDEX schedule_fires_open ON schedule_fires (status, expires_at)
    WHERE status IN ('pending', 'accepted', 'delivered', 'buffered')`

  yield* sql`CREATE TABLE schedule_misfires (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    schedule_id ${uuid} NOT NULL,
    detected_at ${text} NOT NULL,
    expected_fire_at ${text} NOT NULL,
    lateness_seconds DOUBLE PRECISION NOT NULL,
    grace_seconds INTEGER NOT NULL,
    slots INTEGER NOT NULL,
    cause TEXT NOT NULL,
    detail TEXT,
    name TEXT NOT NULL,
    engine TEXT NOT NULL,
    kind TEXT NOT NULL,
    UNIQUE (schedule_id, expected_fire_at)
  )`
  yield* sql`CREATE INDEX schedule_misfires_project ON schedule_misfires (project_id, id)`
  yield* sql`CREATE INDEX schedule_misfires_schedule ON schedule_misfires (schedule_id, id)`
  yield* sql`CREATE INDEX schedule_misfires_detected ON schedule_misfires (detected_at)`
})

/** Refused while a schedule is paused: the release before knows no pauses (interface, Errors). */
const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const paused = yield* sql`SELECT name FROM schedules WHERE paused_at IS NOT NULL LIMIT 1`
  if (paused.length > 0) {
    return yield* new MigrationRefused({
      message: "A schedule is paused, and the release before this one does not know pauses. Resume or delete it first."
    })
  }
  for (const table of ["schedule_misfires", "schedule_fires", "schedules", "schedule_revisions"]) {
    yield* sql`DROP TABLE ${sql(table)}`
  }
})

export const m0010: Migration = { id: 10, name: "schedules", compatibleFrom: 5, up, down }
