import type { SqlError } from "@effect/sql"
import { Console, Effect } from "effect"
import { migrations } from "../../../migrations/index.ts"
import { version } from "../../domain/Version.ts"
import { Reader } from "../../services/Database.ts"
import { Settings } from "../../services/Settings.ts"
import { inspect, inspected } from "../Inspection.ts"
import { settings } from "../Settings.ts"

/** The tables of the brain, whatever this revision has; a partitioned table counts as one. */
const tables = Effect.flatMap(Reader, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      sql<{ name: string }>`
        SELECT relname AS name FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
    orElse: () => sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`
  }))

/** Rows are counted up to here; nobody waits for more. */
const most = 100_000

/** What PostgreSQL believes a large table has, from its last vacuum or analyze. */
const estimateOf = (table: string) =>
  Effect.flatMap(Reader, (sql) =>
    sql.onDialectOrElse({
      pg: () =>
        sql<{ n: number }>`
          SELECT reltuples::bigint AS n FROM pg_class
          WHERE relnamespace = current_schema()::regnamespace AND relname = ${table}`,
      orElse: () => Effect.succeed([])
    }))

interface Rows {
  readonly n: number
  /** How far `n` can be trusted: a large table has `about` so many rows on PostgreSQL, and `more than` `most` on SQLite. */
  readonly precision: "exact" | "about" | "more than"
}

const rowsOf = (table: string): Effect.Effect<Rows, SqlError.SqlError, Reader> =>
  Effect.gen(function*() {
    const sql = yield* Reader
    if (table === "tasks") { // the writers keep their number
      const [row] = yield* sql<{ n: number | string }>`SELECT COALESCE(SUM(tasks), 0) AS n FROM task_counts`
      return { n: Number(row?.n ?? 0), precision: "exact" }
    }
    const [row] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM (SELECT 1 FROM ${sql(table)} LIMIT ${most + 1}) AS found`
    const counted = row?.n ?? 0
    if (counted <= most) return { n: counted, precision: "exact" }
    const [estimate] = yield* estimateOf(table)
    return estimate !== undefined && estimate.n > most
      ? { n: estimate.n, precision: "about" }
      : { n: most, precision: "more than" }
  })

const rowCounts: Effect.Effect<ReadonlyArray<readonly [string, Rows]>, SqlError.SqlError, Reader> = Effect.flatMap(
  tables,
  (found) => Effect.forEach(found, ({ name }) => Effect.map(rowsOf(name), (rows) => [name, rows] as const))
)

const textOf = ({ n, precision }: Rows): string => (precision === "exact" ? String(n) : `${precision} ${n}`)

export const run = ({ json }: { readonly json: boolean }) =>
  Effect.gen(function*() {
    const found = yield* inspect
    const { environment } = yield* Settings
    const rows = found.database_exists ? yield* Effect.provide(rowCounts, inspected) : []
    const status = {
      version,
      revision: found.revision,
      head: migrations[migrations.length - 1]?.id ?? 0,
      environment,
      database_url: found.database_url,
      rows: Object.fromEntries(rows.map(([name, { n }]) => [name, n])),
      /** Tables with more rows than were counted. */
      approximate: rows.filter(([, { precision }]) => precision !== "exact").map(([name]) => name)
    }
    if (json) return yield* Console.log(JSON.stringify(status))
    const width = Math.max(0, ...rows.map(([name]) => name.length))
    yield* Console.log([
      `version: ${status.version}`,
      `migration: ${status.revision ?? "none"} (head ${status.head})`,
      `environment: ${status.environment}`,
      `database: ${status.database_url}`,
      ...(rows.length === 0 ? [] : ["rows:", ...rows.map(([name, found]) => `  ${name.padEnd(width)}  ${textOf(found)}`)])
    ].join("\n"))
  }).pipe(Effect.provide(settings()))
