import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient, SqlError } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, MutableRef, Option, Redacted, Schedule } from "effect"
import { createHash } from "node:crypto"
import pg from "pg"
import {
  type MeasureUse,
  type PostgresAccess,
  postgresApplicationName,
  type PostgresConnection
} from "../services/kernel/sql/Database.ts"
import * as PreparedReads from "../services/kernel/sql/PreparedReads.ts"
import { Startup, type StartupReason } from "../services/kernel/Startup.ts"
import { PostgresPool } from "./PostgresPool.ts"
import { endWithTimeout, watchPool } from "./PostgresWatch.ts"

/** int8 arrives as text by default; ours are counts and sequence numbers far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => (id === 20 ? Number : pg.types.getTypeParser(id, format)) as never // the overloads of pg's own declaration do not unify
}

const timeoutMillis = 5000

/**
 * JIT compilation takes longer than any of our queries. A process that stops within a transaction may hold a lock that all
 * others wait for, so PostgreSQL ends that transaction after 30 s; ours do not idle. `query_timeout` is missing in pg's
 * types; on a timeout the pool ends the client.
 */
const sessionSettings = {
  text: "SET jit = off; SET idle_in_transaction_session_timeout = '30s'",
  query_timeout: timeoutMillis
}

/** Reports how long each connection was out of the pool. */
const measurePool = (pool: pg.Pool, measure: MeasureUse): Effect.Effect<void> =>
  Effect.map(Effect.clock, (clock) => {
    const since = new WeakMap<pg.PoolClient, bigint>()
    pool.on("acquire", (client) => since.set(client, clock.unsafeCurrentTimeNanos()))
    pool.on("release", (_error, client) => {
      const acquiredAt = since.get(client)
      if (acquiredAt !== undefined) measure("pool", Number(clock.unsafeCurrentTimeNanos() - acquiredAt) / 1e9)
    })
  })

/** Runs the first query of a pool; it may retry the query. */
export type RunFirstQuery = (
  query: Effect.Effect<unknown, SqlError.SqlError>
) => Effect.Effect<unknown, SqlError.SqlError>

/**
 * The reason of a transient connection failure (refused, unknown or unreachable host, starting, stopping, no free
 * connection); null for a permanent one, such as a wrong password. The timeouts of `pg` have no code.
 */
const transientReason = ({ cause }: SqlError.SqlError): string | null => {
  if (!(cause instanceof Error)) return null
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
  const passes = code === ""
    ? /timeout|terminated/i.test(cause.message)
    : /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|08|53300|57P0)/.test(code)
  return passes ? (cause.message === "" ? code : cause.message) : null
}

/** Retries with back-off up to 5 s until PostgreSQL responds. It logs that, and sets the reason that `/health/ready` shows. */
export const retryUntilAvailable: RunFirstQuery = (query) =>
  Effect.flatMap(Effect.serviceOption(Startup), (startup) => {
    const waitFor = (what: StartupReason) => Effect.sync(() => Option.map(startup, MutableRef.set(what)))
    return query.pipe(
      Effect.tapError((error) => {
        const reason = transientReason(error)
        return reason === null
          ? Effect.void
          : Effect.zipRight(
            waitFor("database"),
            Effect.logWarning(`PostgreSQL does not answer (${reason}); the brain starts once it does`)
          )
      }),
      Effect.retry({
        schedule: Schedule.union(Schedule.exponential("250 millis"), Schedule.spaced("5 seconds")),
        while: (error) => transientReason(error) !== null
      }),
      Effect.zipRight(waitFor("starting"))
    )
  })

/** A pool that takes its connections when they are needed, and replaces those that break. */
const makePool = (url: Redacted.Redacted, maxConnections: number, measure: MeasureUse) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new PostgresPool({
        connectionString: Redacted.value(url),
        max: maxConnections,
        connectionTimeoutMillis: timeoutMillis,
        idleTimeoutMillis: 60_000,
        keepAlive: true, // finds a peer that is gone without a word while a query waits for it
        keepAliveInitialDelayMillis: 10_000,
        application_name: postgresApplicationName,
        onConnect: (client) => client.query(sessionSettings),
        types
      })
      // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
      pool.on("error", () => {})
      // One that breaks in use may emit `error` twice, and pg's own listener takes the first only.
      pool.on("connect", (client) => client.on("error", () => {}))
      return pool
    }),
    (pool) => endWithTimeout(() => pool.end())
  ).pipe(
    Effect.tap((pool) => measurePool(pool, measure)),
    Effect.tap((pool) => watchPool(pool, Redacted.value(url)))
  )

/**
 * Statements by name: PostgreSQL parses and plans each once for a connection. A pooler that hands a transaction to any
 * connection does not keep names; from the first such failure on, this process sends the statements without them.
 */
const preparedReadsOf = (sql: PgClient.PgClient, pool: pg.Pool) => {
  let canName = true
  return PreparedReads.make(sql, (text, mode) => {
    const name = `svc_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`
    const query = mode === "array" ? { text, rowMode: "array" as const } : { text }
    return (parameters) => {
      const values = [...parameters]
      const run = runOnPool(pool, { ...query, values })
      if (!canName) return run
      return Effect.catchIf(runOnPool(pool, { ...query, name, values }), hasLostName, () => {
        canName = false
        return run
      })
    }
  })
}

/** Unknown or duplicate statement name, or a plan whose columns have changed (PostgreSQL, Appendix A). */
const lostNameCodes: ReadonlySet<unknown> = new Set(["26000", "42P05", "0A000"])

const hasLostName = ({ cause }: SqlError.SqlError): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && lostNameCodes.has(cause.code)

/** Runs one statement on a connection of its own. Interrupted, it returns the connection, which is free once its statement has ended. */
const runOnPool = (pool: pg.Pool, query: pg.QueryConfig | pg.QueryArrayConfig) =>
  Effect.async<ReadonlyArray<unknown>, SqlError.SqlError>((resume) => {
    const fail = (cause: unknown, message: string) => resume(Effect.fail(new SqlError.SqlError({ cause, message })))
    let isInterrupted = false
    let returnConnection = () => {}
    pool.connect((cause, client, release) => {
      if (client === undefined) return fail(cause, "Failed to acquire connection")
      let isReturned = false
      returnConnection = () => {
        if (!isReturned) release()
        isReturned = true
      }
      if (isInterrupted) return returnConnection()
      client.query(query, (cause: unknown, result) => {
        returnConnection()
        if (cause) fail(cause, "Failed to execute statement")
        else resume(Effect.succeed(result.rows))
      })
    })
    return Effect.sync(() => {
      isInterrupted = true
      returnConnection()
    })
  })

/** @effect/sql-pg keeps the driver's connection of a transaction in this member, which its types do not have. */
const clientOf = ([connection]: readonly [object, number]): pg.Client | null => {
  const client: unknown = Reflect.get(connection, "pg")
  return client instanceof pg.Client ? client : null
}

const makeAccess = (pool: PostgresPool): PostgresAccess => ({
  within: (body) =>
    Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (transaction) => {
      const client = Option.isNone(transaction) ? null : clientOf(transaction.value)
      if (client === null) return Effect.dieMessage("a connection is given out within a transaction only")
      const copying: Pick<PostgresConnection, "query"> = client
      const connection: PostgresConnection = {
        query: (stream) => copying.query(stream),
        cancel: () => pool.cancel(client)
      }
      return Effect.tryPromise({
        try: (signal) => body(connection, signal),
        catch: (cause) => new SqlError.SqlError({ cause, message: "Failed to copy rows" })
      })
    })
})

export const makePostgres = (
  url: Redacted.Redacted,
  maxConnections: number,
  measure: MeasureUse = () => {},
  runFirstQuery: RunFirstQuery = (query) => query
) =>
  Effect.gen(function*() {
    const pool = yield* makePool(url, maxConnections, measure)
    const sql = yield* PgClient.fromPool({ acquire: Effect.succeed(pool), transformJson: false }).pipe(
      Effect.tap((sql) => runFirstQuery(sql`SELECT 1`)),
      Effect.catchTag("SqlError", (error) =>
        new SqlError.SqlError({ cause: error.cause, message: "PostgreSQL does not answer" })),
      Effect.provide(Reactivity.layer)
    )
    return { sql, reads: preparedReadsOf(sql, pool), access: makeAccess(pool) }
  })
