import type { SqlError } from "@effect/sql"
import { Effect } from "effect"
import { Reader } from "../../services/kernel/sql/Database.ts"

/** The tables of the database, at any revision. A partitioned table counts as one. */
const listTables = Effect.flatMap(Reader, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      sql<{ name: string }>`
        SELECT relname AS name FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
    orElse: () =>
      sql<
        { name: string }
      >`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`
  }))

/** Rows are counted up to this number, so that the command ends fast. */
const maxCounted = 100_000

/** PostgreSQL's estimate of a large table's rows, from its last vacuum or analyze. */
const estimateOf = (table: string) =>
  Effect.flatMap(Reader, (sql) =>
    sql.onDialectOrElse({
      pg: () =>
        sql<{ n: number }>`
          SELECT reltuples::bigint AS n FROM pg_class
          WHERE relnamespace = current_schema()::regnamespace AND relname = ${table}`,
      orElse: () => Effect.succeed([])
    }))

export interface Rows {
  readonly n: number
  /** A table above `maxCounted` has `about` `n` rows on PostgreSQL (an estimate), and `more than` `n` on SQLite. */
  readonly precision: "exact" | "about" | "more than"
}

/** Rows of a table; `where` is a condition of the program's own. */
export const countRowsOf = (table: string, where?: string): Effect.Effect<Rows, SqlError.SqlError, Reader> =>
  Effect.gen(function*() {
    const sql = yield* Reader
    if (table === "tasks" && where === undefined) { // the writers maintain this count
      const [row] = yield* sql<{ n: number | string }>`SELECT COALESCE(SUM(tasks), 0) AS n FROM task_counts`
      return { n: Number(row?.n ?? 0), precision: "exact" }
    }
    const [row] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM (SELECT 1 FROM ${sql(table)} WHERE ${
      sql.literal(where ?? "TRUE")
    } LIMIT ${maxCounted + 1}) AS found`
    const counted = row?.n ?? 0
    if (counted <= maxCounted) return { n: counted, precision: "exact" }
    const [estimate] = where === undefined ? yield* estimateOf(table) : []
    return estimate !== undefined && estimate.n > maxCounted
      ? { n: estimate.n, precision: "about" }
      : { n: maxCounted, precision: "more than" }
  })

/** The rows of each table, sorted by name. */
export const countRows: Effect.Effect<ReadonlyArray<readonly [string, Rows]>, SqlError.SqlError, Reader> = Effect
  .flatMap(
    listTables,
    (found) => Effect.forEach(found, ({ name }) => Effect.map(countRowsOf(name), (rows) => [name, rows] as const))
  )

const textOfRows = ({ n, precision }: Rows): string => (precision === "exact" ? String(n) : `${precision} ${n}`)

/** A line for each table. */
export const linesOfRows = (rows: ReadonlyArray<readonly [string, Rows]>): ReadonlyArray<string> => {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.map(([name, found]) => `  ${name.padEnd(width)}  ${textOfRows(found)}`)
}
