import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Counts and histograms of tasks by minute, hour and day (docs/trends.md). The ingest only inserts `rollup_deltas`; one
 * replica at a time merges them into `rollups`. No foreign keys: the writers would pay for the check, and a project's
 * rows are deleted in slices. The tables begin empty, so that no upgrade waits for stored tasks.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, serial, text, uuid } = types(sql)
  yield* sql`CREATE TABLE rollup_deltas (id ${serial}, payload TEXT NOT NULL)`
  // one row, which the replica that merges locks
  yield* sql`CREATE TABLE rollup_merges (id INTEGER PRIMARY KEY)`
  yield* sql`INSERT INTO rollup_merges (id) VALUES (1)`
  yield* sql`CREATE TABLE rollup_series (
    id ${serial},
    project_id ${uuid} NOT NULL,
    kind INTEGER NOT NULL,
    engine ${text} NOT NULL,
    queue ${text} NOT NULL,
    name ${text} NOT NULL
  )`
  yield* sql`CREATE UNIQUE INDEX rollup_series_key ON rollup_series (project_id, kind, engine, queue, name)`
  yield* sql`CREATE TABLE rollups (
    project_id ${uuid} NOT NULL,
    level INTEGER NOT NULL,
    series_id ${bigint} NOT NULL,
    bucket ${bigint} NOT NULL,
    received ${bigint} NOT NULL,
    success ${bigint} NOT NULL,
    failure ${bigint} NOT NULL,
    retry ${bigint} NOT NULL,
    revoked ${bigint} NOT NULL,
    rejected ${bigint} NOT NULL,
    runtime_count ${bigint} NOT NULL,
    runtime_sum ${bigint} NOT NULL,
    wait_count ${bigint} NOT NULL,
    wait_sum ${bigint} NOT NULL,
    runtimes TEXT NOT NULL,
    waits TEXT NOT NULL,
    PRIMARY KEY (project_id, level, series_id, bucket)
  ) ${
    sql.onDialectOrElse({
      // the rows of the present minute, hour and day are updated each second: room for their new versions in the page
      pg: () => sql.literal("WITH (fillfactor = 70)"),
      orElse: () => sql.literal("WITHOUT ROWID")
    })
  }`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE rollups`
  yield* sql`DROP TABLE rollup_series`
  yield* sql`DROP TABLE rollup_merges`
  yield* sql`DROP TABLE rollup_deltas`
})

export const m0036: Migration = { id: 36, name: "rollups", compatibleFrom: 5, up, down }
