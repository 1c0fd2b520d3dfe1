import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient, SqlError, Statement } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import { type Clock, Effect, Option, type Scope } from "effect"
import { restrictToOwner } from "../services/kernel/OwnerFile.ts"
import type { MeasureUse, SqliteAccess } from "../services/kernel/sql/Database.ts"
import * as PreparedReads from "../services/kernel/sql/PreparedReads.ts"
import type { RowMode, SqliteConnection, SqliteStatement } from "../sqlite/Connection.ts"
import { openSqlite } from "../sqlite/Driver.ts"

/**
 * A SqlClient over the driver of `src/sqlite`. The published @effect/sql-sqlite-node does not give out its connection, and the
 * ingest writer must share the one writing connection and its queue; it also begins deferred transactions, which
 * fail with SQLITE_BUSY half-way when a second process (the CLI) writes. In all else this client behaves as that one.
 */
const statementCacheSize = 500

const openConnection = (
  file: string,
  readonly: boolean
): Effect.Effect<SqliteConnection, SqlError.SqlError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        if (!readonly) restrictToOwner(file)
        const db = openSqlite(file, { access: readonly ? "read" : "create", timeout: 5000 })
        if (!readonly) db.exec("PRAGMA journal_mode = WAL")
        db.exec("PRAGMA synchronous = FULL") // an acknowledged event survives a power cut; group commit makes it cheap
        db.exec("PRAGMA foreign_keys = ON")
        db.exec(`PRAGMA cache_size = ${readonly ? -16_384 : -32_768}`) // KiB; what is read comes from the mapped file mostly
        // For reading only: a growing file is mapped again at each growth, which cost the ingest a tenth of its time.
        db.exec(`PRAGMA mmap_size = ${readonly ? 1_073_741_824 : 0}`)
        // Each checkpoint writes a page once, however often it changed: 16 MB of log instead of 4 save it a tenth more.
        if (!readonly) db.exec("PRAGMA wal_autocheckpoint = 4000")
        db.exec("PRAGMA temp_store = MEMORY")
        return db
      },
      catch: (cause) => new SqlError.SqlError({ cause, message: `cannot open the SQLite file ${file}` })
    }),
    (db) => Effect.sync(() => db.close())
  )

/** Runs something on a connection, and reports how long it took. */
type RunTimed = <A>(run: () => A) => A

const makeRunTimed = (clock: Clock.Clock, report: (seconds: number) => void): RunTimed => (run) => {
  const begin = clock.unsafeCurrentTimeNanos()
  try {
    return run()
  } finally {
    report(Number(clock.unsafeCurrentTimeNanos() - begin) / 1e9)
  }
}

const runUntimed: RunTimed = (run) => run()

const connectionOf = (db: SqliteConnection, timed: RunTimed): Connection => {
  const cacheOf = <Row>(mode: RowMode) => {
    const statements = new Map<string, SqliteStatement<ReadonlyArray<unknown>, Row>>()
    return (sql: string): SqliteStatement<ReadonlyArray<unknown>, Row> => {
      const known = statements.get(sql)
      if (known !== undefined) return known
      if (statements.size >= statementCacheSize) {
        const oldest = statements.keys().next().value
        if (oldest !== undefined) statements.delete(oldest)
      }
      const statement = db.prepare<ReadonlyArray<unknown>, Row>(sql, mode)
      statements.set(sql, statement)
      return statement
    }
  }
  const prepare = cacheOf<unknown>("object")
  const prepareValues = cacheOf<ReadonlyArray<unknown>>("array")
  const attempt = <A>(run: () => A) =>
    Effect.try({
      try: () => timed(run),
      catch: (cause) => new SqlError.SqlError({ cause, message: "Failed to execute statement" })
    })
  // oxlint-disable-next-line typescript/no-explicit-any -- the type that Connection declares for rows
  const rows = (statement: SqliteStatement, params: ReadonlyArray<unknown>): ReadonlyArray<any> => {
    if (statement.reader) return statement.all(...params)
    statement.run(...params)
    return []
  }
  return {
    execute: (sql, params, transformRows) =>
      attempt(() => {
        const found = rows(prepare(sql), params)
        return transformRows ? transformRows(found) : found
      }),
    executeRaw: (sql, params) =>
      attempt(() => {
        const statement = prepare(sql)
        return statement.reader ? statement.all(...params) : statement.run(...params)
      }),
    executeValues: (sql, params) =>
      attempt(() => {
        return rows(prepareValues(sql), params)
      }),
    executeUnprepared: (sql, params, transformRows) =>
      attempt(() => {
        const found = rows(db.prepare(sql), params)
        return transformRows ? transformRows(found) : found
      }),
    executeStream: () => Effect.dieMessage("read SQLite in slices: a stream would hold the connection") as never // no caller
  }
}

/** For a connection that only reads: it has no transactions that a statement would have to wait for. */
const readerOf = (connection: Connection) =>
  SqlClient.make({
    acquirer: Effect.succeed(connection),
    transactionAcquirer: Effect.dieMessage("a transaction needs the writing connection"),
    compiler: Statement.makeCompilerSqlite(),
    spanAttributes: [["db.system.name", "sqlite"]]
  })

const preparedReadsOf = (sql: SqlClient.SqlClient, db: SqliteConnection, timed: RunTimed) =>
  PreparedReads.make(sql, (text, mode) => {
    let statement: SqliteStatement | undefined
    return (parameters) =>
      Effect.try({
        try: () => {
          statement ??= db.prepare(text, mode)
          const current = statement
          return timed(() => current.all(...parameters))
        },
        catch: (cause) => new SqlError.SqlError({ cause, message: "Failed to execute statement" })
      })
  })

/** Reads through a client's own statements, where its connection has other users or is not ours. */
const unpreparedReadsOf = (sql: SqlClient.SqlClient) =>
  PreparedReads.make(sql, (text, mode) => (parameters) => {
    const statement = sql.unsafe(text, parameters)
    return mode === "object" ? statement : statement.values
  })

const clientOf = (connection: Connection, semaphore: Effect.Semaphore) => {
  const transactionAcquirer = Effect.uninterruptibleMask((restore) =>
    Effect.as(
      Effect.zipRight(
        restore(semaphore.take(1)),
        Effect.addFinalizer(() => semaphore.release(1))
      ),
      connection
    )
  )
  return SqlClient.make({
    acquirer: semaphore.withPermits(1)(Effect.succeed(connection)),
    transactionAcquirer,
    beginTransaction: "BEGIN IMMEDIATE",
    compiler: Statement.makeCompilerSqlite(),
    spanAttributes: [["db.system.name", "sqlite"]]
  })
}

/** One writing connection with its queue, one reading connection, and the direct access. `:memory:` has one for all. */
export const makeSqlite = Effect.fnUntraced(function*(file: string, measure: MeasureUse) {
  const clock = yield* Effect.clock
  const runTimedWrite = makeRunTimed(clock, (seconds) => measure("writer", seconds))
  const runTimedRead = makeRunTimed(clock, (seconds) => measure("reader", seconds))
  const writeConnection = yield* openConnection(file, false)
  const semaphore = yield* Effect.makeSemaphore(1)
  const writer = yield* clientOf(connectionOf(writeConnection, runTimedWrite), semaphore)
  const readConnection = file === ":memory:" ? null : yield* openConnection(file, true)
  const reader = readConnection === null ? writer : yield* readerOf(connectionOf(readConnection, runTimedRead))
  const reads = readConnection === null
    ? unpreparedReadsOf(writer)
    : preparedReadsOf(reader, readConnection, runTimedRead)
  const access: SqliteAccess = {
    file,
    write: (body) =>
      semaphore.withPermits(1)(Effect.try({
        try: () => runTimedWrite(() => writeConnection.transaction(() => body(writeConnection))),
        catch: (cause) => new SqlError.SqlError({ cause, message: "Failed to write" })
      })),
    // the transaction holds the only writing connection
    within: (body) =>
      Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (transaction) =>
        Option.isNone(transaction)
          ? Effect.dieMessage("this is to be written within a transaction")
          : Effect.try({
            try: () => runTimedWrite(() => body(writeConnection)),
            catch: (cause) => new SqlError.SqlError({ cause, message: "Failed to write" })
          })),
    readConnection: readConnection ?? writeConnection
  }
  return { writer, reader, reads, access }
}, Effect.provide(Reactivity.layer))

/** One read-only connection, for reading a database that must be neither created nor changed; reader and writer alike. */
export const makeReadOnly = Effect.fnUntraced(function*(file: string) {
  const readConnection = yield* openConnection(file, true)
  const reader = yield* clientOf(connectionOf(readConnection, runUntimed), yield* Effect.makeSemaphore(1))
  const onlyReads = () => Effect.dieMessage("this connection only reads")
  const access: SqliteAccess = { file, write: onlyReads, within: onlyReads, readConnection }
  return { writer: reader, reader, reads: unpreparedReadsOf(reader), access }
}, Effect.provide(Reactivity.layer))
