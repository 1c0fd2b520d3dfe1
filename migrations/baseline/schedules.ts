import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** Schedules, their fires and misfires, and the streams of engines' own schedulers (docs/schedules.md). */
export const schedules: AreaTables = {
  names: [
    "schedule_changes",
    "schedule_tombstones",
    "schedules",
    "schedule_fires",
    "schedule_misfires",
    "schedule_resolutions",
    "schedule_streams",
    "schedule_claims",
    "schedule_operations",
    "scheduler_connections"
  ],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { bigint, text, uuid } = types(sql)

    // Its row lock puts all changes of schedules in order. Changes until `horizon` are no longer complete, because
    // tombstones until then were deleted or never written.
    yield* sql`CREATE TABLE schedule_changes (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      revision ${bigint} NOT NULL,
      horizon ${bigint} NOT NULL
    )`
    // at least 1: schedulers take 0 for "no revision"
    yield* sql`INSERT INTO schedule_changes (id, revision, horizon) VALUES (1, 1, 1)`

    // Without a foreign key: rows of a deleted project make schedulers stop.
    yield* sql`CREATE TABLE schedule_tombstones (
      revision ${bigint} PRIMARY KEY,
      project_id ${uuid} NOT NULL,
      schedule_id ${uuid} NOT NULL,
      deleted_at ${text} NOT NULL
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
      -- the next tick with its jitter
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
      -- of the definition as its source wrote it, so that a later change by a person shows as drift
      imported_digest TEXT,
      -- when the next tick was computed; a time in the future says that the clock was set back since
      cursor_at ${text},
      stream_id ${uuid},
      source_key ${text},
      on_unknown_outcome TEXT NOT NULL DEFAULT 'continue',
      -- when its circuit breaker disabled it
      tripped_at ${text},
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL,
      UNIQUE (project_id, scheduler, name)
    )`
    yield* sql`CREATE INDEX schedules_list ON schedules (project_id, name, id)`
    yield* sql`CREATE INDEX schedules_revision ON schedules (project_id, schedule_revision)`
    yield* sql`CREATE INDEX schedules_due ON schedules (due_at) WHERE scheduler = 'svc-scheduler'
      AND is_enabled = 1 AND paused_at IS NULL AND quarantined_at IS NULL AND due_at IS NOT NULL`
    yield* sql`CREATE INDEX schedules_held ON schedules (due_at) WHERE (paused_at IS NOT NULL OR quarantined_at IS NOT NULL)`
    yield* sql`CREATE INDEX schedules_cursor ON schedules (cursor_at) WHERE scheduler = 'svc-scheduler'`
    yield* sql`CREATE INDEX schedules_change ON schedules (schedule_revision)`
    yield* sql`CREATE INDEX schedules_source ON schedules (project_id, scheduler, source_key) WHERE source_key IS NOT NULL`
    yield* sql`CREATE INDEX schedules_external_due ON schedules (due_at)
      WHERE stream_id IS NOT NULL AND is_enabled = 1 AND due_at IS NOT NULL`
    yield* sql`CREATE INDEX schedules_stream ON schedules (stream_id) WHERE stream_id IS NOT NULL`

    // On PostgreSQL in partitions by the day of their tick, so that retention drops whole partitions;
    // `schedule_fires_default` takes ticks of days without one. `fire_id` follows from schedule and tick, so that (fire_id,
    // scheduled_for) is unique exactly when fire_id is; a partitioned table needs the partition's column in its key.
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
      -- of a misfire that a missed tick may be added to; null: of another scheduler
      last_tick_at ${text},
      UNIQUE (schedule_id, expected_fire_at)
    )`
    yield* sql`CREATE INDEX schedule_misfires_project ON schedule_misfires (project_id, id)`
    yield* sql`CREATE INDEX schedule_misfires_schedule ON schedule_misfires (schedule_id, id)`
    yield* sql`CREATE INDEX schedule_misfires_detected ON schedule_misfires (detected_at)`

    // What operators resolve. Without `resolved_at`: a fire with an unknown outcome that keeps its schedule in quarantine.
    yield* sql`CREATE TABLE schedule_resolutions (
      schedule_id ${uuid} NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
      evidence_kind ${text} NOT NULL,
      evidence_id ${uuid} NOT NULL,
      fire_id ${uuid} NOT NULL,
      opened_at ${text} NOT NULL,
      resolved_at ${text},
      work_may_have_executed INTEGER,
      enabled_after_resolution INTEGER,
      grant_carried INTEGER,
      control_token ${uuid},
      revision ${bigint},
      PRIMARY KEY (schedule_id, evidence_kind, evidence_id)
    )`
    yield* sql`CREATE INDEX schedule_resolutions_resolved ON schedule_resolutions (resolved_at) WHERE resolved_at IS NOT NULL`

    // The streams in which agents publish the schedules of engines' own schedulers (agents' protocol, section 6.3).
    yield* sql`CREATE TABLE schedule_streams (
      stream_id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      agent_id ${uuid} NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      scheduler ${text} NOT NULL,
      worker_id ${text} NOT NULL,
      session_id ${text} NOT NULL,
      epoch_uuid ${uuid} NOT NULL,
      epoch_number ${bigint} NOT NULL,
      adapter_instance_id TEXT NOT NULL,
      accepted_sequence ${bigint} NOT NULL,
      snapshot_digest TEXT,
      schedule_count INTEGER NOT NULL,
      status ${text} NOT NULL,
      command_id ${uuid},
      capabilities TEXT NOT NULL,
      activated_at ${text} NOT NULL,
      snapshot_at ${text},
      ended_at ${text},
      error TEXT,
      error_at ${text},
      -- when the agent read its newest snapshot, by its clock
      observed_at ${text},
      -- whether the schedules of an ended stream have their next run in due_at
      is_awaited INTEGER NOT NULL DEFAULT 0,
      created_at ${text} NOT NULL,
      UNIQUE (agent_id, scheduler)
    )`
    yield* sql`CREATE INDEX schedule_streams_project ON schedule_streams (project_id, scheduler)`
    yield* sql`CREATE INDEX schedule_streams_open ON schedule_streams (status) WHERE status IN ('activating', 'live')`

    // What each stream has published last. A schedule exists while a stream claims it.
    yield* sql`CREATE TABLE schedule_claims (
      stream_id ${uuid} NOT NULL REFERENCES schedule_streams (stream_id) ON DELETE CASCADE,
      source_key ${text} NOT NULL,
      schedule_id ${uuid} NOT NULL,
      name TEXT NOT NULL,
      projection TEXT NOT NULL,
      projection_digest TEXT NOT NULL,
      configuration TEXT NOT NULL,
      PRIMARY KEY (stream_id, source_key)
    )`
    yield* sql`CREATE INDEX schedule_claims_schedule ON schedule_claims (schedule_id)`

    // Without references to stream and schedule: an operation outlives them until its retention ends.
    yield* sql`CREATE TABLE schedule_operations (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      schedule_id ${uuid},
      operation ${text} NOT NULL,
      request_id ${uuid},
      sealed_request TEXT,
      stream_id ${uuid} NOT NULL,
      epoch_uuid ${uuid} NOT NULL,
      epoch_number ${bigint} NOT NULL,
      source_key ${text},
      command_id ${uuid} NOT NULL,
      status ${text} NOT NULL,
      expected_sequence ${bigint} NOT NULL,
      reserved_sequence ${bigint},
      desired_is_enabled INTEGER,
      probe_epoch_number ${bigint},
      probe_sequence ${bigint},
      error TEXT,
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL,
      ended_at ${text}
    )`
    yield* sql`CREATE UNIQUE INDEX schedule_operations_request ON schedule_operations (project_id, request_id)
      WHERE request_id IS NOT NULL`
    // At most one operation of a schedule at a time.
    yield* sql`CREATE UNIQUE INDEX schedule_operations_busy ON schedule_operations (schedule_id)
      WHERE schedule_id IS NOT NULL AND status IN ('pending', 'sent', 'accepted')`
    yield* sql`CREATE INDEX schedule_operations_open ON schedule_operations (id) WHERE ended_at IS NULL`
    yield* sql`CREATE INDEX schedule_operations_created ON schedule_operations (created_at)`

    // The connections of scheduler programs, by which all replicas know which of them call.
    yield* sql`CREATE TABLE scheduler_connections (
      id ${uuid} PRIMARY KEY,
      name TEXT NOT NULL,
      instance TEXT,
      connected_at ${text} NOT NULL,
      called_at ${text} NOT NULL,
      fired_at ${text}
    )`
  })
}
