import type { SqlClient, SqlError } from "@effect/sql"
import { Effect } from "effect"
import { type Cell, sumNames } from "../../../domain/tasks/Rollup/Contribution.ts"
import type { SqliteConnection } from "../../../sqlite/Connection.ts"
import type { SqliteAccess } from "../../kernel/sql/Database.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { type RollupRow, toRow } from "./Cells.ts"
import { type BucketKey, type SeriesKey, seriesKeyText } from "./Series.ts"

type KeyedCell = readonly [BucketKey, Cell]

interface RollupTables {
  /** The ids of the series that are stored, by `seriesKeyText`. */
  readonly findSeries: (
    keys: ReadonlyArray<SeriesKey>
  ) => Effect.Effect<ReadonlyMap<string, number>, SqlError.SqlError>
  /** Adds the cells to the stored rows. Only the merge that holds the lock writes them. */
  readonly addCells: (cells: ReadonlyArray<KeyedCell>) => Effect.Effect<void, SqlError.SqlError>
}

interface StoredSeries extends SeriesKey {
  readonly id: number
}

/** The columns of a `SeriesKey`. */
export const seriesColumns = {
  project_id: "uuid",
  kind: "integer",
  engine: "text",
  queue: "text",
  name: "text"
} as const satisfies Record<keyof SeriesKey, string>

const keyColumns = { project_id: "uuid", level: "integer", series_id: "bigint", bucket: "bigint" } as const

const rowColumns = {
  ...keyColumns,
  received: "bigint",
  success: "bigint",
  failure: "bigint",
  retry: "bigint",
  revoked: "bigint",
  rejected: "bigint",
  runtime_count: "bigint",
  runtime_sum: "bigint",
  wait_count: "bigint",
  wait_sum: "bigint",
  runtimes: "text",
  waits: "text"
} as const satisfies Record<keyof RollupRow, string>

const columnList = Object.keys(rowColumns).join(", ")
const conflictClause = `ON CONFLICT (project_id, level, series_id, bucket) DO UPDATE SET ${
  [...sumNames, "runtimes", "waits"].map((name) => `${name} = excluded.${name}`).join(", ")
}`

/** Rows of one statement. */
const sliceRows = 500

/** The tables on PostgreSQL: one statement for many rows. */
export const makePostgresTables = (sql: SqlClient.SqlClient): RollupTables => {
  const addSlice = Effect.fnUntraced(function*(cells: ReadonlyArray<KeyedCell>) {
    const stored = new Map(
      (yield* sql<RollupRow>`SELECT t.* FROM ${
        recordset(sql, "r", keyColumns, cells.map(([key]) => key))
      } JOIN rollups t ON t.project_id = r.project_id AND t.level = r.level AND t.series_id = r.series_id
          AND t.bucket = r.bucket`).map((row) => [bucketKeyText(row), row])
    )
    const rows = cells.map(([key, cell]) => toRow(key, cell, stored.get(bucketKeyText(key))))
    yield* sql`INSERT INTO rollups (${sql.literal(columnList)}) SELECT ${sql.literal(columnList)} FROM ${
      recordset(sql, "r", rowColumns, rows)
    } ${sql.literal(conflictClause)}`
  })
  return {
    findSeries: (keys) =>
      Effect.map(
        sql<StoredSeries>`SELECT s.id, s.project_id, s.kind, s.engine, s.queue, s.name
          FROM ${recordset(sql, "r", seriesColumns, keys)} JOIN rollup_series s ON s.project_id = r.project_id
            AND s.kind = r.kind AND s.engine = r.engine AND s.queue = r.queue AND s.name = r.name`,
        (rows) => new Map(rows.map((row) => [seriesKeyText(row), row.id]))
      ),
    addCells: (cells) =>
      Effect.forEach(
        Array.from({ length: Math.ceil(cells.length / sliceRows) }, (_, at) =>
          cells.slice(at * sliceRows, (at + 1) * sliceRows)),
        addSlice,
        { discard: true }
      )
  }
}

const bucketKeyText = ({ bucket, level, series_id }: BucketKey): string => `${level} ${series_id} ${bucket}`

/**
 * The tables on SQLite: prepared statements, which took 5 µs a row where a set of rows as JSON took 27 µs. The ingest
 * waits for them.
 */
export const makeSqliteTables = (access: SqliteAccess): RollupTables => {
  const statements = new WeakMap<SqliteConnection, ReturnType<typeof prepare>>()
  const statementsOf = (db: SqliteConnection) => {
    const known = statements.get(db)
    if (known !== undefined) return known
    const prepared = prepare(db)
    statements.set(db, prepared)
    return prepared
  }
  return {
    findSeries: (keys) =>
      access.within((db) => {
        const { series } = statementsOf(db)
        const found = new Map<string, number>()
        for (const key of keys) {
          const row = series.get(key.project_id, key.kind, key.engine, key.queue, key.name)
          if (row !== undefined) found.set(seriesKeyText(key), row.id)
        }
        return found
      }),
    addCells: (cells) =>
      access.within((db) => {
        const { select, upsert } = statementsOf(db)
        for (const [key, cell] of cells) {
          upsert.run(toRow(key, cell, select.get(key.project_id, key.level, key.series_id, key.bucket)))
        }
      })
  }
}

const prepare = (db: SqliteConnection) => ({
  series: db.prepare<[string, number, string, string, string], { readonly id: number }>(
    `SELECT id FROM rollup_series WHERE project_id = ? AND kind = ? AND engine = ? AND queue = ? AND name = ?`
  ),
  select: db.prepare<[string, number, number, number], RollupRow>(
    `SELECT * FROM rollups WHERE project_id = ? AND level = ? AND series_id = ? AND bucket = ?`
  ),
  upsert: db.prepare<[RollupRow]>(
    `INSERT INTO rollups (${columnList}) VALUES (${
      Object.keys(rowColumns).map((name) => `@${name}`).join(", ")
    }) ${conflictClause}`
  )
})
