import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * The streams in which agents publish the schedules of engines' own schedulers (agents' protocol, section 6.3), and
 * what each stream has published last. A schedule exists while a stream claims it.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, text, uuid } = types(sql)

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
    created_at ${text} NOT NULL,
    UNIQUE (agent_id, scheduler)
  )`
  yield* sql`CREATE INDEX schedule_streams_project ON schedule_streams (project_id, scheduler)`
  yield* sql`CREATE INDEX schedule_streams_open ON schedule_streams (status) WHERE status IN ('activating', 'live')`

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

  yield* sql`ALTER TABLE schedules ADD COLUMN stream_id ${uuid}`
  yield* sql`ALTER TABLE schedules ADD COLUMN source_key ${text}`
  yield* sql`CREATE INDEX schedules_source ON schedules (project_id, scheduler, source_key) WHERE source_key IS NOT NULL`

  // The only session that the command may be sent to; null: any session of its agent.
  yield* sql`ALTER TABLE commands ADD COLUMN bound_session_id TEXT`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE commands DROP COLUMN bound_session_id`
  yield* sql`DROP INDEX schedules_source`
  yield* sql`DELETE FROM schedules WHERE source_key IS NOT NULL`
  for (const column of ["stream_id", "source_key"]) yield* sql`ALTER TABLE schedules DROP COLUMN ${sql(column)}`
  for (const table of ["schedule_claims", "schedule_streams"]) yield* sql`DROP TABLE ${sql(table)}`
})

export const m0014: Migration = {
  id: 14,
  name: "schedule_streams",
  compatibleFrom: 5,
  up,
  down,
  deletes: [{ table: "schedules", where: "source_key IS NOT NULL" }]
}
