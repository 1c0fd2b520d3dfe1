import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/**
 * The rows of all series of a range: PostgreSQL stores them in the order of their creation, so the names of a day lie on
 * few pages in this order, and each on its own page in that of the primary key. Updates of a row change no column of
 * the index and leave it alone. SQLite stores the rows in the order of their key, and needs none.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.zipRight(
        sql`CREATE INDEX rollups_time ON rollups (project_id, level, bucket, series_id)`,
        // a delta lives for a second: to compress it took longer than to write it
        sql`ALTER TABLE rollup_deltas ALTER COLUMN payload SET STORAGE EXTERNAL`
      ),
    orElse: () => Effect.void
  })
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.zipRight(
        sql`DROP INDEX rollups_time`,
        sql`ALTER TABLE rollup_deltas ALTER COLUMN payload SET STORAGE EXTENDED`
      ),
    orElse: () => Effect.void
  })
})

export const m0041: Migration = { id: 41, name: "rollups_by_time", compatibleFrom: 5, up, down }
