import { Clock, Effect, type Scope } from "effect"
import pg from "pg"

/** After a connection has been in use for this long, the watch asks whether the server still responds. */
const maxQueryMillisBeforeProbe = 3000
const probeTimeoutMillis = 5000

/** Closes a connection or pool with a timeout of 1 s, because a hung server never responds. */
export const endWithTimeout = (end: () => Promise<void>): Effect.Effect<void> =>
  Effect.tryPromise(end).pipe(Effect.interruptible, Effect.timeout("1 second"), Effect.ignore)

/** Whether the server responds on a new connection. An error that it sends is a response too. */
const isResponding = (connectionString: string): Effect.Effect<boolean> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const client = new pg.Client({
        connectionString,
        connectionTimeoutMillis: probeTimeoutMillis,
        application_name: "svc watch"
      })
      client.on("error", () => {}) // the promises below report it
      return client
    }),
    (client) =>
      Effect.tryPromise({
        try: () => client.connect().then(() => client.query("SELECT 1")),
        catch: (error) => error
      }).pipe(
        Effect.as(true),
        Effect.timeoutTo({ duration: probeTimeoutMillis, onSuccess: (isAlive) => isAlive, onTimeout: () => false }),
        Effect.catchAll((error) => Effect.succeed(error instanceof pg.DatabaseError))
      ),
    (client) => endWithTimeout(() => client.end())
  )

/**
 * Finds a server that hangs, or a network that drops packets: connections stay open, and queries wait for ever. The time of
 * a query proves nothing, because a migration or a sweep may take long. So the watch asks the server on a new connection
 * when one has been in use for a while. If it does not respond, the watch closes the connections in use: requests get 503,
 * loops retry.
 */
export const watchPool = (pool: pg.Pool, connectionString: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const since = new Map<pg.PoolClient, number>()
    pool.on("acquire", (client) => since.set(client, clock.unsafeCurrentTimeMillis()))
    pool.on("release", (_error, client) => since.delete(client))

    const checkConnections = Effect.gen(function*() {
      const startedAt = yield* Clock.currentTimeMillis
      if (![...since.values()].some((takenAt) => startedAt - takenAt >= maxQueryMillisBeforeProbe)) return
      const alive = yield* isResponding(connectionString)
      const now = yield* Clock.currentTimeMillis
      const suspected = [...since].filter(([, takenAt]) => now - takenAt >= maxQueryMillisBeforeProbe)
      for (const [client] of suspected) {
        if (alive) since.set(client, now)
        else void client.end()
      }
      if (!alive && suspected.length > 0) {
        yield* Effect.logWarning(`PostgreSQL does not answer; cut ${suspected.length} connections that wait for it`)
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.delay(checkConnections, "1 second")))
  })
