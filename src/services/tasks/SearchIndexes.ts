import { SqlClient, type SqlError } from "@effect/sql"
import { Data, Effect } from "effect"
import { Database, orDieOnSql } from "../kernel/sql/Database.ts"

/** A trigram index on PostgreSQL, which finds a part of a text without reading every task (docs/scaling.md, Search). */
interface TrigramIndex {
  readonly column: "task_id" | "exception"
  readonly name: string
  readonly where: string
}

/**
 * No migration creates them: they need the extension pg_trgm, which not every PostgreSQL has, they cost the ingest
 * time, and an index on a large table is created outside of a transaction, so that writers continue.
 */
export const trigramIndexes: ReadonlyArray<TrigramIndex> = [
  { column: "task_id", name: "tasks_task_id_trigrams", where: "" },
  { column: "exception", name: "tasks_exception_trigrams", where: "WHERE exception IS NOT NULL" }
]

/** Whether an index of trigrams narrows a search for the term: they consist of letters and digits. */
export const hasTrigram = (term: string): boolean => /[a-z0-9]{3}/i.test(term)

interface StoredIndex {
  readonly name: string
  readonly is_valid: boolean
}

/** An index that a CREATE INDEX CONCURRENTLY left behind when it was interrupted is not valid. */
const listStored = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<StoredIndex>, SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () =>
      sql<StoredIndex>`SELECT c.relname AS name, i.indisvalid AS is_valid
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = 'tasks'::regclass AND c.relname IN ${sql.in(trigramIndexes.map(({ name }) => name))}`,
    orElse: () => Effect.succeed([])
  })

/** The columns that have a usable trigram index now; none on SQLite. */
export const listTrigramIndexes = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlySet<string>, SqlError.SqlError> =>
  Effect.map(listStored(sql), (stored) => {
    const valid = new Set(stored.filter(({ is_valid }) => is_valid).map(({ name }) => name))
    return new Set(trigramIndexes.filter(({ name }) => valid.has(name)).map(({ column }) => column))
  })

/** Why searches use no trigram index although pg_trgm is there; null where they do, or where it is not. */
export const findSearchIndexTrouble = (
  sql: SqlClient.SqlClient
): Effect.Effect<"missing" | "unfinished" | null, SqlError.SqlError> =>
  Effect.gen(function*() {
    const extensions = yield* sql.onDialectOrElse({
      pg: () => sql`SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'`,
      orElse: () => Effect.succeed([])
    })
    if (extensions.length === 0) return null
    const stored = yield* listStored(sql)
    if (stored.some(({ is_valid }) => !is_valid)) return "unfinished"
    return stored.length < trigramIndexes.length ? "missing" : null
  })

/** There can be no trigram index here. */
export class SearchIndexesRefused extends Data.TaggedError("SearchIndexesRefused")<{ readonly message: string }> {}

/** What became of an index. */
export interface IndexChange {
  readonly name: string
  readonly change: "created" | "kept" | "dropped" | "absent"
}

/** Creates and drops the trigram indexes of searches while brains read and write. */
export class SearchIndexes extends Effect.Service<SearchIndexes>()("svc/tasks/SearchIndexes", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { dialect } = yield* Database

    const requirePostgres = dialect === "pg" ? Effect.void : new SearchIndexesRefused({
      message: "SQLite has no trigram indexes. A search there reads the tasks in slices (docs/scaling.md)."
    })

    const findExtensionSchema = Effect.gen(function*() {
      const [row] = yield* sql<{ schema: string }>`SELECT n.nspname AS schema
        FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'`
      if (row !== undefined) return row.schema
      return yield* new SearchIndexesRefused({
        message: "This database lacks the extension pg_trgm, and svc creates no extension. Its owner creates it with " +
          "CREATE EXTENSION pg_trgm; in psql. Then run this command again."
      })
    })

    /** Creates the missing indexes, and those again that an interrupted run left behind. */
    const create = Effect.fn("SearchIndexes.create")(function*() {
      yield* requirePostgres
      const schema = yield* findExtensionSchema
      const stored = yield* listStored(sql)
      const changes: Array<IndexChange> = []
      for (const { column, name, where } of trigramIndexes) {
        const existing = stored.find((index) => index.name === name)
        if (existing?.is_valid === true) {
          changes.push({ name, change: "kept" })
          continue
        }
        if (existing !== undefined) yield* sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql(name)}`
        yield* sql`CREATE INDEX CONCURRENTLY ${sql(name)} ON tasks
          USING gin (${sql(column)} ${sql(schema)}.gin_trgm_ops) ${sql.literal(where)}`
        changes.push({ name, change: "created" })
      }
      yield* sql`ANALYZE tasks`
      return changes
    }, orDieOnSql)

    const drop = Effect.fn("SearchIndexes.drop")(function*() {
      yield* requirePostgres
      const stored = yield* listStored(sql)
      const changes: Array<IndexChange> = []
      for (const { name } of trigramIndexes) {
        const exists = stored.some((index) => index.name === name)
        if (exists) yield* sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql(name)}`
        changes.push({ name, change: exists ? "dropped" : "absent" })
      }
      return changes
    }, orDieOnSql)

    return { create, drop } as const
  })
}) {
  static readonly layer = this.Default
}
