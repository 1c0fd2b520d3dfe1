import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Revisions of schedules count over all projects from now on, in the one row of `schedule_changes`; its row lock puts
 * all changes in order. Changes until `horizon` are no longer complete, because tombstones until then were deleted or
 * never written. `schedule_revisions`, with a number for each project, has no use any more.
 *
 * Tombstones have no foreign key: those of a deleted project tell schedulers to stop.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, text, uuid } = types(sql)
  yield* sql`CREATE TABLE schedule_changes (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    revision ${bigint} NOT NULL,
    horizon ${bigint} NOT NULL
  )`
  // at least 1: schedulers take 0 for "no revision"
  yield* sql`INSERT INTO schedule_changes (id, revision, horizon)
    SELECT 1, newest + 1, newest + 1 FROM (
      SELECT COALESCE(max(n), 0) AS newest FROM (
        SELECT max(revision) AS n FROM schedule_revisions UNION ALL SELECT max(schedule_revision) FROM schedules
      ) numbers
    ) newest`
  yield* sql`CREATE TABLE schedule_tombstones (
    revision ${bigint} PRIMARY KEY,
    project_id ${uuid} NOT NULL,
    schedule_id ${uuid} NOT NULL,
    deleted_at ${text} NOT NULL
  )`
  yield* sql`CREATE INDEX schedules_change ON schedules (schedule_revision)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // the release before counts for each project, and goes on after the numbers that it finds here
  yield* sql`DELETE FROM schedule_revisions`
  yield* sql`INSERT INTO schedule_revisions (project_id, revision)
    SELECT p.id, c.revision FROM projects p CROSS JOIN schedule_changes c`
  yield* sql`DROP INDEX schedules_change`
  yield* sql`DROP TABLE schedule_tombstones`
  yield* sql`DROP TABLE schedule_changes`
})

export const m0013: Migration = { id: 13, name: "schedule_changes", compatibleFrom: 5, up, down }
