import { SqlClient } from "@effect/sql"
import { Effect, Layer, PubSub, Redacted, Schedule, Stream } from "effect"
import pg from "pg"
import { Settings } from "../services/kernel/Settings.ts"
import { isInTransaction, runAfterCommit } from "../services/kernel/sql/AfterCommit.ts"
import { type Channel, Database, type HintIds, Hints } from "../services/kernel/sql/Database.ts"
import { endWithTimeout } from "./PostgresWatch.ts"

const channelName = "svc_hints"

/**
 * Hints inside the process, and between the replicas of one PostgreSQL by LISTEN/NOTIFY. One channel of PostgreSQL
 * carries `channel payload`. A connection of its own listens, and is reopened when it breaks. Hints sent in between are lost;
 * polling covers them.
 */
export const layer = Layer.scoped(
  Hints,
  Effect.gen(function*() {
    const database = yield* Database
    const settings = yield* Settings
    const sql = yield* SqlClient.SqlClient
    const hub = yield* Effect.acquireRelease(
      PubSub.sliding<{ readonly channel: Channel; readonly payload: string }>(4096),
      PubSub.shutdown
    )
    const publishLocally = (channel: Channel, payload: string) =>
      Effect.asVoid(PubSub.publish(hub, { channel, payload }))

    if (database.dialect === "pg" && settings.databaseUrl !== null) {
      const connectionString = Redacted.value(settings.databaseUrl)
      yield* listen(connectionString, (text) => {
        const separator = text.indexOf(" ")
        // other replicas send the text that `publish` writes
        return publishLocally(text.slice(0, separator) as Channel, text.slice(separator + 1))
      }).pipe(
        Effect.tapError((error) =>
          Effect.logWarning("lost the connection that listens for hints; polling continues", error)
        ),
        Effect.retry(Schedule.exponential("200 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))),
        Effect.forkScoped
      )
    }

    /** PostgreSQL delivers a notification at the commit of its transaction, also to its sender. */
    const notify = (channel: Channel, payload: string) =>
      sql`SELECT pg_notify(${channelName}, ${`${channel} ${payload}`})`.pipe(
        Effect.catchTag("SqlError", (error) =>
          // a failed statement aborts the transaction, so its COMMIT would roll back without an error
          Effect.flatMap(isInTransaction, (isIn) => (isIn ? Effect.die(error) : publishLocally(channel, payload)))),
        Effect.asVoid
      )

    return {
      publish: database.dialect === "pg"
        ? notify
        : (channel, payload) => runAfterCommit(publishLocally(channel, payload)),
      subscribe: (channel) =>
        Stream.fromPubSub(hub).pipe(
          Stream.filter((hint) => hint.channel === channel),
          // the cast: the channel's publisher gave this id
          Stream.map((hint) => hint.payload as HintIds[typeof channel])
        )
    }
  })
)

class ListenFailed extends Error {}

/** Listens until the connection breaks, and fails then. */
const listen = (connectionString: string, onMessage: (payload: string) => Effect.Effect<void>) =>
  Effect.scoped(Effect.gen(function*() {
    const client = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new pg.Client({
          connectionString,
          application_name: "svc hints",
          connectionTimeoutMillis: 5000,
          keepAlive: true, // detects a silently dead server; otherwise no notification would arrive
          keepAliveInitialDelayMillis: 10_000
        })
      ),
      (client) => endWithTimeout(() => client.end()) // errors are ignored: the connection is being closed
    )
    const received = yield* Effect.acquireRelease(PubSub.sliding<string>(4096), PubSub.shutdown)
    const connectionFailure = Effect.async<never, ListenFailed>((resume) => {
      client.on("error", (cause) => resume(Effect.fail(new ListenFailed("the connection broke", { cause }))))
      client.on("end", () => resume(Effect.fail(new ListenFailed("the connection ended"))))
      client.on("notification", (message) => {
        received.unsafeOffer(message.payload ?? "")
      })
    })
    const attempt = (run: () => Promise<unknown>) =>
      Effect.tryPromise({ try: run, catch: (cause) => new ListenFailed("cannot listen", { cause }) })
    const pump = Stream.runForEach(Stream.fromPubSub(received), onMessage)
    const work = Effect.zipRight(
      Effect.zipRight(attempt(() => client.connect()), attempt(() => client.query(`LISTEN ${channelName}`))),
      pump
    )
    yield* Effect.raceFirst(connectionFailure, work)
    return yield* Effect.fail(new ListenFailed("the listener ended"))
  }))
