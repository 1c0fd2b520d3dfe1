import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Failures by fingerprint, and how many happened in each hour (docs/failures.md). No foreign keys: the writers would pay
 * for the check, and a project's rows are deleted in slices.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, text, uuid } = types(sql)
  yield* sql`CREATE TABLE failure_groups (
    project_id ${uuid} NOT NULL,
    fingerprint ${text} NOT NULL,
    engine ${text} NOT NULL,
    task_name ${text} NOT NULL,
    sample_task_id ${text} NOT NULL,
    sample_exception TEXT,
    first_seen_at ${text} NOT NULL,
    last_seen_at ${text} NOT NULL,
    occurrences ${bigint} NOT NULL,
    open_count ${bigint} NOT NULL,
    recovered_count ${bigint} NOT NULL,
    PRIMARY KEY (project_id, fingerprint)
  )`
  yield* sql`CREATE INDEX failure_groups_seen ON failure_groups (project_id, last_seen_at, fingerprint)`
  yield* sql`CREATE INDEX failure_groups_ongoing ON failure_groups (project_id, last_seen_at, fingerprint)
    WHERE open_count > 0`
  yield* sql`CREATE TABLE failure_group_hours (
    project_id ${uuid} NOT NULL,
    fingerprint ${text} NOT NULL,
    hour ${text} NOT NULL,
    occurrences ${bigint} NOT NULL,
    PRIMARY KEY (project_id, fingerprint, hour)
  )`
  yield* sql`CREATE INDEX failure_group_hours_hour ON failure_group_hours (hour)` // for the retention
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE failure_group_hours`
  yield* sql`DROP TABLE failure_groups`
})

export const m0026: Migration = { id: 26, name: "failure_groups", compatibleFrom: 5, up, down }
