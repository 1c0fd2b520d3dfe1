import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Acts on schedules of engines' own schedulers: what was asked for, and how far it is. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, text, uuid } = types(sql)

  // Without references to agent, stream and schedule: an operation outlives them until its retention ends.
  yield* sql`CREATE TABLE schedule_operations (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    schedule_id ${uuid},
    scheduler ${text} NOT NULL,
    operation ${text} NOT NULL,
    request_id ${uuid},
    sealed_request TEXT,
    agent_id ${uuid} NOT NULL,
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
    result_projection_id ${uuid},
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
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE schedule_operations`
})

export const m0016: Migration = { id: 16, name: "schedule_operations", compatibleFrom: 5, up, down }
