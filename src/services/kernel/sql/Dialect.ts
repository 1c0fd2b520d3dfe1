import type { SqlClient, SqlError, Statement } from "@effect/sql"
import { Effect } from "effect"
import { yieldToEventLoop } from "../concurrency/EventLoop.ts"
import type { ProjectView } from "../CurrentActor.ts"

/**
 * The SQL on which PostgreSQL and SQLite differ, as fragments for statements that both share. SQLite needs no row
 * locks: it has one writer, and a transaction holds it from its first moment.
 */
export const onPostgres = (sql: SqlClient.SqlClient, text: string): Statement.Fragment =>
  sql.onDialectOrElse({ pg: () => sql.literal(text), orElse: () => sql.literal("") })

/** Locks the rows that a SELECT returns until the transaction ends. */
export const forUpdate = (sql: SqlClient.SqlClient): Statement.Fragment => onPostgres(sql, "FOR UPDATE")

/** Locks the rows, and leaves out rows that another transaction holds. */
export const skipLocked = (sql: SqlClient.SqlClient): Statement.Fragment => onPostgres(sql, "FOR UPDATE SKIP LOCKED")

/** Weaker than `forUpdate`: other transactions may insert rows that refer to a locked row. */
export const forNoKeyUpdate = (sql: SqlClient.SqlClient): Statement.Fragment => onPostgres(sql, "FOR NO KEY UPDATE")

/** Locks the rows as `forNoKeyUpdate` does, and leaves out rows that another transaction holds. */
export const noKeySkipLocked = (sql: SqlClient.SqlClient): Statement.Fragment =>
  onPostgres(sql, "FOR NO KEY UPDATE SKIP LOCKED")

/** Prevents all other writes to the table until the transaction ends; reads continue. */
export const lockTable = (sql: SqlClient.SqlClient, table: string): Effect.Effect<void, SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`LOCK TABLE ${sql(table)} IN SHARE ROW EXCLUSIVE MODE`),
    orElse: () => Effect.void
  })

/**
 * One transaction at a time for this name, until it ends. A limit that is checked by a count before an insert takes it
 * before the count: else concurrent transactions count the same rows, and each of them inserts one. SQLite's
 * transactions run one at a time.
 */
export const lockName = (sql: SqlClient.SqlClient, name: string): Effect.Effect<void, SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`),
    orElse: () => Effect.void
  })

/** `column IN` these ids, as one parameter: one statement text whatever their number, so that it stays prepared. */
export const idIn = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>, column = "id"): Statement.Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`${sql.literal(column)} = ANY(${ids}::uuid[])`,
    orElse: () => sql`${sql.literal(column)} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
  })

/** The ids as the rows of the table `s`. */
export const idRows = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>): Statement.Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`(SELECT unnest(${ids}::uuid[]) AS id) s`,
    orElse: () => sql`(SELECT value AS id FROM json_each(${JSON.stringify(ids)})) s`
  })

/** As `idIn`, for texts. */
export const textIn = (sql: SqlClient.SqlClient, values: ReadonlyArray<string>, column: string): Statement.Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`${sql.literal(column)} = ANY(${values}::text[])`,
    orElse: () => sql`${sql.literal(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`
  })

/** Whether the row's `project_id` is in the view; a row without a project is in none but that of all projects. */
export const isInView = (sql: SqlClient.SqlClient, view: ProjectView): Statement.Fragment => {
  if ("only" in view) return idIn(sql, view.only, "project_id")
  return view.except.length === 0 ? sql.literal("TRUE") : sql`NOT ${idIn(sql, view.except, "project_id")}`
}

/** The database's clock, in Unix milliseconds; on PostgreSQL also within a transaction the time of the moment. */
export const databaseMillis = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.onDialectOrElse({
    pg: () => sql.literal("(extract(epoch FROM clock_timestamp()) * 1000)::bigint"),
    orElse: () => sql.literal("CAST(unixepoch('subsec') * 1000 AS INTEGER)")
  })

/** The databases' names of the functions that make JSON. `CAST(… AS TEXT)` around one gives text from both drivers. */
export const jsonFunctionsOf = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      object: "json_build_object",
      groupObject: "json_object_agg",
      groupArray: "json_agg"
    }),
    orElse: () => ({
      object: "json_object",
      groupObject: "json_group_object",
      groupArray: "json_group_array"
    })
  })

/** The rows of one statement. More would block SQLite's event loop, or hold the locks of PostgreSQL, for too long. */
const sliceRows = 500

export interface SlicedDelete<E> {
  readonly table: string
  /** The columns of the primary key. */
  readonly key: string
  readonly where: Statement.Fragment
  /** The column whose index finds the rows. */
  readonly orderBy?: string
  /** Leaves rows that another transaction has locked to the next call. */
  readonly skipsLocked?: boolean
  /** The rows of one statement: fewer where a row is large. */
  readonly rows?: number
  /** Runs each statement; by default in a transaction of its own. */
  readonly runSlice?: (slice: Slice<never>) => Slice<E>
}

type Slice<E> = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError | E>

/** Deletes all rows of a table that match, each slice in a statement of its own; the event loop turns in between. */
export const deleteInSlices = <E = never>(
  sql: SqlClient.SqlClient,
  { key, orderBy, rows = sliceRows, runSlice = (slice) => slice, skipsLocked = false, table, where }: SlicedDelete<E>
): Effect.Effect<void, SqlError.SqlError | E> => {
  const keys = sql.literal(key)
  const order = sql.literal(orderBy === undefined ? "" : `ORDER BY ${orderBy}`)
  const deleteSlice = sql`DELETE FROM ${sql(table)} WHERE (${keys}) IN (
    SELECT ${keys} FROM ${sql(table)} WHERE ${where} ${order} LIMIT ${rows} ${
    skipsLocked ? skipLocked(sql) : sql.literal("")
  }
  ) RETURNING 1`
  const hasMore = Effect.map(runSlice(deleteSlice), (deleted) => deleted.length === rows)
  return Effect.asVoid(Effect.repeat(Effect.zipLeft(hasMore, yieldToEventLoop), { while: (more) => more }))
}
