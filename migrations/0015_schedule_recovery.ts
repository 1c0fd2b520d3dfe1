import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { type Migration, MigrationRefused } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Schedules that ask for certainty, and what operators resolve. A row of `schedule_resolutions` without `resolved_at` is
 * a fire with an unknown outcome that keeps its schedule in quarantine.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, text, uuid } = types(sql)
  yield* sql`ALTER TABLE schedules ADD COLUMN on_unknown_outcome TEXT NOT NULL DEFAULT 'continue'`
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
})

/** Refused while a fire waits for an operator: the release before would let its schedule fire again. */
const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const open = yield* sql`SELECT 1 FROM schedule_resolutions WHERE resolved_at IS NULL LIMIT 1`
  if (open.length > 0) {
    return yield* new MigrationRefused({
      message:
        "A schedule is in quarantine until an operator resolves its fire, and the release before this one cannot do that. Resolve it, or delete the schedule, first."
    })
  }
  yield* sql`DROP TABLE schedule_resolutions`
  yield* sql`ALTER TABLE schedules DROP COLUMN on_unknown_outcome`
})

export const m0015: Migration = { id: 15, name: "schedule_recovery", compatibleFrom: 5, up, down }
