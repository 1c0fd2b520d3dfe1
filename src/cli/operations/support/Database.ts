import { Effect } from "effect"
import { Database, Reader } from "../../../services/kernel/sql/Database.ts"
import { Migrations } from "../../../services/kernel/sql/Migrations.ts"
import { countRows } from "../RowCounts.ts"

/** Larger SQLite files have no sizes by table: `dbstat` reads every page. */
const maxDbstatBytes = 256 * 1024 * 1024

/** Rows and bytes of each table, and of its indexes. */
export const readTables = Effect.gen(function*() {
  const sql = yield* Reader
  const rows = yield* countRows
  const sizes = yield* sql.onDialectOrElse({
    pg: () =>
      sql<{ name: string; table_bytes: number; index_bytes: number }>`
        SELECT relname AS name, pg_table_size(oid)::float8 AS table_bytes, pg_indexes_size(oid)::float8 AS index_bytes
        FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
    orElse: () =>
      Effect.flatMap(
        sql<{ bytes: number }>`
          SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes`,
        ([database]) =>
          (database?.bytes ?? 0) > maxDbstatBytes
            ? Effect.succeed([])
            : sql<{ name: string; bytes: number }>`
              SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY name`
      )
  })
  return { rows: Object.fromEntries(rows), sizes }
})

export const readMigrations = Effect.gen(function*() {
  const { applied, current, head } = yield* Migrations
  return { current: yield* current, head, applied: yield* applied }
})

/** Text in quotes, and numbers, of a statement that was not parameterized. */
const withoutLiterals = (statement: string): string =>
  statement.replace(/'(?:[^']|'')*'/g, "'***'").replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "'***'").replace(
    /(?<![\w$])\d[\d.]*/g,
    "0"
  )

interface Statement {
  readonly query: string
}

const isRead = ({ query }: Statement): boolean => /^\s*(select|insert|update|delete|with)\b/i.test(query)

const cleanStatements = <A extends Statement>(statements: ReadonlyArray<A>) =>
  statements.filter(isRead).map((one) => ({ ...one, query: withoutLiterals(one.query).slice(0, 2000) }))

/**
 * The statements that took most time, where the extension pg_stat_statements counts them, and those that run now.
 * Only queries: other statements, such as ALTER ROLE, may hold a password.
 */
const readPostgresStatements = Effect.gen(function*() {
  const sql = yield* Reader
  const [extension] = yield* sql<{ present: boolean }>`
    SELECT count(*) > 0 AS present FROM pg_extension WHERE extname = 'pg_stat_statements'`
  const slowest = extension?.present === true
    ? yield* sql<{ query: string; calls: number; total_ms: number; mean_ms: number; rows: number }>`
      SELECT query, calls::float8 AS calls, total_exec_time AS total_ms, mean_exec_time AS mean_ms, rows::float8 AS rows
      FROM pg_stat_statements
      WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND userid = (SELECT oid FROM pg_roles WHERE rolname = current_user)
        AND query ~* '^[[:space:]]*(select|insert|update|delete|with)'
      ORDER BY total_exec_time DESC LIMIT 50`
    : null
  const running = yield* sql<{ query: string; seconds: number; state: string; wait: string | null }>`
    SELECT query, extract(epoch FROM clock_timestamp() - query_start)::float8 AS seconds, state,
      wait_event_type || ':' || wait_event AS wait
    FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND state <> 'idle' AND pid <> pg_backend_pid()
    ORDER BY query_start LIMIT 50`
  const tables = yield* sql`
    SELECT relname AS name, seq_scan::float8 AS seq_scan, idx_scan::float8 AS idx_scan, n_dead_tup::float8 AS dead_rows,
      last_autovacuum::text AS last_autovacuum, last_autoanalyze::text AS last_autoanalyze
    FROM pg_stat_user_tables WHERE schemaname = current_schema() ORDER BY seq_tup_read DESC LIMIT 50`
  return {
    pg_stat_statements: slowest === null ? "not installed" : cleanStatements(slowest),
    running: cleanStatements(running),
    tables
  }
})

/** SQLite keeps no statistics of statements: the state of its files, which decides how fast they are. */
const readSqliteState = Effect.gen(function*() {
  const sql = yield* Reader
  const [state] = yield* sql`SELECT
    (SELECT journal_mode FROM pragma_journal_mode) AS journal_mode,
    (SELECT page_size FROM pragma_page_size) AS page_size,
    (SELECT page_count FROM pragma_page_count) AS page_count,
    (SELECT freelist_count FROM pragma_freelist_count) AS free_pages,
    (SELECT cache_size FROM pragma_cache_size) AS cache_size,
    (SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1') AS analyzed`
  return { note: "SQLite keeps no statistics of statements; metrics.txt has the time of its connections", state }
})

export const readStatements = Effect.flatMap(
  Database,
  ({ dialect }): Effect.Effect<unknown, unknown, Reader> => dialect === "pg" ? readPostgresStatements : readSqliteState
)
