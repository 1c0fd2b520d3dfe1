import type { SqlClient, SqlError } from "@effect/sql"
import { Context, Effect, type Stream } from "effect"
import type { Consumer } from "../../../domain/kernel/Consumer.ts"
import type { AgentId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import type { SqliteConnection } from "../../../sqlite/Connection.ts"

/**
 * The database as services see it.
 *
 * `SqlClient` is the writer: statements that change rows, and reads that belong to their transaction.
 * `Reader` is for all other reads: on SQLite a separate connection, so a read never waits for a transaction; on
 * PostgreSQL the same pool.
 */
export class Reader extends Context.Tag("svc/Reader")<Reader, SqlClient.SqlClient>() {}

/** The name of the brain's sessions in PostgreSQL's `pg_stat_activity`. */
export const postgresApplicationName = "svc"

/** Direct access to the driver of SQLite, for the measured hot paths only (ingest, exports). */
export interface SqliteAccess {
  readonly file: string
  /**
   * Runs `body` in one immediate transaction on the writing connection. `body` is synchronous, so no other statement
   * can interleave; it throws to roll back.
   */
  readonly write: <A>(body: (db: SqliteConnection) => A) => Effect.Effect<A, SqlError.SqlError>
  /**
   * Runs `body` on the writing connection within the caller's transaction (`sql.withTransaction`). Dies without one.
   */
  readonly within: <A>(body: (db: SqliteConnection) => A) => Effect.Effect<A, SqlError.SqlError>
  /** The connection of `Reader`, for reads that go through a whole table (`Backup/Rows.ts`). */
  readonly readConnection: SqliteConnection
}

/** A connection of the driver `pg`, as far as COPY needs it. The library's types do not name those of `pg`. */
export interface PostgresConnection {
  /** Sends a query that has its own protocol, such as a stream of pg-copy-streams, and returns it. */
  readonly query: <Stream extends { readonly submit: (connection: never) => void }>(stream: Stream) => Stream
  /** Asks the server, over another connection, to end what this one runs. */
  readonly cancel: () => Promise<void>
}

/** Direct access to the driver of PostgreSQL, for COPY. */
export interface PostgresAccess {
  /**
   * Runs `body` with the connection of the caller's transaction (`sql.withTransaction`). Dies without one. `body` must
   * wait for its queries; when the fiber is interrupted, `signal` is aborted.
   */
  readonly within: <A>(
    body: (client: PostgresConnection, signal: AbortSignal) => Promise<A>
  ) => Effect.Effect<A, SqlError.SqlError>
}

/** Receives how long a connection was in use. SQLite has one connection of each kind, PostgreSQL a pool. */
export type MeasureUse = (connection: "reader" | "writer" | "pool", seconds: number) => void

export class Database extends Context.Tag("svc/Database")<Database, {
  readonly dialect: "sqlite" | "pg"
  /** The URL without its password, for display. */
  readonly redactedUrl: string
  /** Present on SQLite only. */
  readonly sqlite: SqliteAccess | null
  /** Present on PostgreSQL only. */
  readonly postgres: PostgresAccess | null
}>() {}

/**
 * Hints between fibers and, on PostgreSQL, between replicas (LISTEN/NOTIFY): "something changed, read it".
 * A hint that a transaction publishes takes effect at its commit, and never when the transaction is rolled back.
 * A hint may be lost or come twice, so a subscriber must also poll.
 */
export class Hints extends Context.Tag("svc/Hints")<Hints, {
  readonly publish: <C extends Channel>(channel: C, id: HintIds[C]) => Effect.Effect<void>
  readonly subscribe: <C extends Channel>(channel: C) => Stream.Stream<HintIds[C]>
}>() {}

/** The id that a hint of each channel carries. */
export interface HintIds {
  /** An agent with pending commands. */
  readonly commands: AgentId
  /** A project whose tasks changed. */
  readonly tasks: ProjectId
  /** A project with a bulk job that was created, paused, resumed or cancelled. */
  readonly bulk_jobs: ProjectId
  /** A project whose schedules changed. */
  readonly schedules: ProjectId
  /** Deliveries were enqueued. */
  readonly deliveries: "enqueued"
  /** A user whose inbox changed. */
  readonly inbox: UserId
  /** A user, agent or project whose access was reduced. */
  readonly access: UserId | AgentId | ProjectId
  /** A consumer whose trigger events wait. */
  readonly trigger_events: Consumer
}

export type Channel = keyof HintIds

/**
 * Turns database failures into defects: `src/http/ProblemResponse.ts` responds with 503 when the connection was lost, else
 * 500.
 */
export const orDieOnSql = <A, E, R>(
  self: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  Effect.catchIf(self, (error): error is E & SqlError.SqlError => isSqlError(error), Effect.die) as Effect.Effect<
    A,
    Exclude<E, SqlError.SqlError>, // catchIf cannot express that a type guard on a union member excludes it
    R
  >

/** Runs the effect in one transaction, and turns database failures into defects. */
export const inTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(self: Effect.Effect<A, E | SqlError.SqlError, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
    orDieOnSql(sql.withTransaction(self))

export const isSqlError = (error: unknown): error is SqlError.SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

const causesOf = (error: unknown): ReadonlyArray<unknown> => {
  const chain: Array<unknown> = []
  for (
    let current = error;
    typeof current === "object" && current !== null && chain.length < 8;
    current = "cause" in current ? current.cause : null
  ) {
    chain.push(current)
    if ("errors" in current && Array.isArray(current.errors)) chain.push(...current.errors)
  }
  return chain
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : ""

/** The database's error code, for logs: its messages may contain stored values. */
export const errorCode = (error: unknown): string =>
  causesOf(error).map(codeOf).find((code) => code !== "") ?? "no code"

/** Whether a unique index refused the write. */
export const isUniqueViolation = (error: unknown): boolean =>
  causesOf(error).some((cause) =>
    ["23505", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"].includes(codeOf(cause))
  )

/** Whether transactions conflicted, so that a retry can succeed (PostgreSQL only: SQLite has one writer). */
export const isContention = (error: unknown): boolean =>
  causesOf(error).some((cause) => ["40001", "40P01", "55P03", "23503"].includes(codeOf(cause)))

/** Whether the database refused the written values, rather than failed (PostgreSQL classes 21, 22, 23, 54). */
export const isDataError = (error: unknown): boolean =>
  causesOf(error).some((cause) =>
    /^(2[123]|54)[0-9A-Z]{3}$|^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(codeOf(cause)) ||
    cause instanceof TypeError || cause instanceof RangeError
  )

/**
 * Whether the database could not be reached, is shutting down or starting, lacks disk, memory or connections, or refuses
 * writes, as a standby before its promotion does (PostgreSQL classes 08, 53, 57P, 25006, socket errors; SQLite busy,
 * locked, full, read-only, cannot open).
 */
export const isUnavailable = (error: unknown): boolean =>
  causesOf(error).some((cause) => {
    const code = codeOf(cause)
    return /^(08|53|57P)|^25006$|^E(CONN|PIPE|TIMEDOUT|HOST|NET|AI)|^SQLITE_(BUSY|LOCKED|FULL|READONLY|CANTOPEN|IOERR)/
      .test(code) ||
      (cause instanceof Error &&
        /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable/i.test(
          cause.message
        ))
  })
