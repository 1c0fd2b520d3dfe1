import { SqlClient, type SqlError } from "@effect/sql"
import { Cause, Duration, Effect, Exit, Layer, Queue, type Scope } from "effect"
import { Consumer } from "../../domain/kernel/Consumer.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { TriggerEvent } from "../../domain/triggers/Trigger.ts"
import type { SqliteConnection } from "../../sqlite/Connection.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { makeHintRoutes } from "../kernel/HintRoutes.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, isContention, isUnavailable } from "../kernel/sql/Database.ts"
import { type Interests, makeInterestCache } from "./TriggerEvents/Interests.ts"
import {
  type TakenEvents,
  type TriggerEventRow,
  TriggerEventsRepo,
  type UndecodableEvent,
  type WaitingEvent
} from "./TriggerEvents/Repo.ts"
import { makeRows, makeRowsFor } from "./TriggerEvents/Rows.ts"

/** Makes the events of a transaction, for projects with interests only. */
type MakeEvents<A> = (interests: ReadonlyMap<ProjectId, Interests>) => A

interface ConsumeOptions {
  /** Events of one transaction. */
  readonly limit?: number
}

/**
 * A consumer rests after a transaction that wrote `manyRows`, for eight times as long as it took: in a storm it leaves
 * the database to the ingest, and events that gather become one write for each condition.
 */
const manyRows = 50
const restMillisAfter = (tookMillis: number): number => Math.min(tookMillis * 8, 5000)

/** An event that failed so often is given up: the last attempt is 3 hours after the first one. */
const maxAttempts = 8
const retryDelaySeconds = (attempts: number): number => Math.min(5 * 4 ** (attempts - 1), 3600)

/** How often a consumer polls for events whose hint was lost. */
const pollInterval = "1 second"

/**
 * The outbox of trigger events (docs/notifications.md): a fact inserts its events in the transaction that stores it, and
 * each consumer takes them out in the transaction that writes what they become. So no event is lost or taken twice,
 * wherever a process dies.
 */
export class TriggerEvents extends Effect.Service<TriggerEvents>()("svc/TriggerEvents", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* TriggerEventsRepo
    const hints = yield* Hints
    const loops = yield* Loops
    const metrics = yield* Metrics
    const { triggerEventsRetentionDays } = yield* Settings
    const interestCache = yield* makeInterestCache
    const subscribeHints = yield* makeHintRoutes("trigger event hints", "trigger_events")

    const publish = (rows: ReadonlyArray<TriggerEventRow>): Effect.Effect<void> =>
      Effect.forEach(
        new Set(rows.map(({ consumer }) => consumer)),
        (consumer) => hints.publish("trigger_events", consumer),
        { discard: true }
      )

    /**
     * In the caller's transaction, for events that are many or dear: `makeEvents` is called with the interests of those
     * of the projects that have any, and not at all when none has.
     */
    const recordFor = (
      projectIds: ReadonlyArray<ProjectId>,
      makeEvents: MakeEvents<Effect.Effect<ReadonlyArray<TriggerEvent>, SqlError.SqlError>>
    ): Effect.Effect<void, SqlError.SqlError> =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const interests = yield* interestCache.load(projectIds, now)
        if (interests.size === 0) return
        const rows = makeRows(yield* makeEvents(interests), interests, now)
        if (rows.length === 0) return
        yield* repo.insert(rows)
        yield* publish(rows)
      })

    /** In the caller's transaction: inserts those of the events that a subscription, default or rule asks for. */
    const record = (events: ReadonlyArray<TriggerEvent>): Effect.Effect<void, SqlError.SqlError> =>
      recordFor([...new Set(events.map(({ project_id }) => project_id))], () => Effect.succeed(events))

    /** In the transaction of a consumer, for what it leaves to a later one: the other consumers got these events already. */
    const requeue = (consumer: Consumer, events: ReadonlyArray<TriggerEvent>): Effect.Effect<void, SqlError.SqlError> =>
      Effect.gen(function*() {
        const rows = makeRowsFor(consumer, events, yield* Timestamp.now)
        yield* repo.insert(rows)
        yield* publish(rows)
      })

    /** `recordFor` in a synchronous transaction on SQLite. The caller runs the effect after its commit. */
    const recordOnSqlite = (
      db: SqliteConnection,
      projectIds: ReadonlyArray<ProjectId>,
      at: Timestamp.Timestamp,
      makeEvents: MakeEvents<ReadonlyArray<TriggerEvent>>
    ): Effect.Effect<void> => {
      const interests = interestCache.loadOnSqlite(db, projectIds, at)
      if (interests.size === 0) return Effect.void
      const rows = makeRows(makeEvents(interests), interests, at)
      repo.insertOnSqlite(db, rows)
      return publish(rows)
    }

    /** In the transaction that changes what a project's subscriptions or rules ask for, or that it automates at all. */
    const bumpRevision = (projectId: ProjectId) => repo.bumpRevision(projectId)

    /** A failed event is due again later; after `maxAttempts` it is deleted. Others are not held up. */
    const postpone = (consumer: Consumer, { attempts, id }: UndecodableEvent, cause: Cause.Cause<unknown>) =>
      Effect.gen(function*() {
        const failed = attempts + 1
        if (failed >= maxAttempts) {
          yield* repo.remove([id])
          metrics.swallowedExceptions.inc({ module: "trigger_events", site: "given_up" })
          yield* Effect.logError(`A trigger event of ${consumer} was given up after ${failed} attempts.`, cause)
        } else {
          yield* repo.postpone(id, failed, Timestamp.addSeconds(yield* Timestamp.now, retryDelaySeconds(failed)))
          yield* Effect.logWarning(
            `A trigger event of ${consumer} failed, attempt ${failed}; it is retried.`,
            cause
          )
        }
      })

    /**
     * Takes the events that are due first, and calls `write` in the same transaction: what it writes and the removal of
     * the events are committed together. When `write` fails, each event is tried alone, and those that fail alone are
     * postponed. Returns the number of events.
     */
    const consume = <E, R>(
      consumer: Consumer,
      write: (events: ReadonlyArray<WaitingEvent>) => Effect.Effect<unknown, E, R>,
      { limit = 100 }: ConsumeOptions = {}
    ): Effect.Effect<number, E | SqlError.SqlError, R> => {
      const writeAndRemove = (taken: ReadonlyArray<WaitingEvent>) =>
        taken.length === 0 ? Effect.void : Effect.zipRight(write(taken), repo.remove(taken.map(({ id }) => id)))

      const consumeOne = (event: WaitingEvent) =>
        sql.withTransaction(Effect.flatMap(repo.takeOne(event.id), writeAndRemove)).pipe(
          Effect.catchAllCause((cause) =>
            isTransient(cause) ? Effect.failCause(cause) : postpone(consumer, event, cause)
          )
        )

      return Effect.gen(function*() {
        if (!(yield* repo.hasDue(consumer, yield* Timestamp.now))) return 0
        let taken: TakenEvents = { events: [], undecodable: [] }
        const attempt = yield* Effect.exit(sql.withTransaction(Effect.gen(function*() {
          taken = yield* repo.take(consumer, yield* Timestamp.now, limit)
          yield* writeAndRemove(taken.events)
        })))
        yield* Effect.forEach(taken.undecodable, (event) => postpone(consumer, event, undecodableCause), {
          discard: true
        })
        if (Exit.isFailure(attempt)) {
          if (taken.events.length === 0 || isTransient(attempt.cause)) return yield* Effect.failCause(attempt.cause)
          yield* Effect.forEach(taken.events, consumeOne, { discard: true })
        }
        return taken.events.length + taken.undecodable.length
      })
    }

    /**
     * The loop `name` of a consumer: takes events as soon as they are committed, here or at another replica. `write` may
     * return how many rows it wrote.
     */
    const consumeForever = <E, R>(
      name: string,
      consumer: Consumer,
      write: (events: ReadonlyArray<WaitingEvent>) => Effect.Effect<unknown, E, R>,
      options: ConsumeOptions = {}
    ): Effect.Effect<void, never, R | Scope.Scope> =>
      Effect.gen(function*() {
        const wakes = yield* subscribeHints([consumer])
        let written = 0
        const writeAndCount = (events: ReadonlyArray<WaitingEvent>) =>
          Effect.map(write(events), (rows) => {
            written = typeof rows === "number" ? rows : 0
          })
        const consumeAndRest = Effect.gen(function*() {
          written = 0
          const [took, events] = yield* Effect.timed(consume(consumer, writeAndCount, options))
          if (written >= manyRows) yield* Effect.sleep(restMillisAfter(Duration.toMillis(took)))
          return events
        })
        const drain = Effect.repeat(consumeAndRest, { while: (events) => events > 0 })
        yield* loops.forever(name, Effect.zipRight(drain, Effect.timeoutOption(Queue.take(wakes), pollInterval)), {
          longestPause: "5 seconds"
        })
      })

    /** Deletes events that no consumer could take for SVC_TRIGGER_EVENTS_RETENTION_DAYS. */
    const expire = Effect.gen(function*() {
      const before = Timestamp.addSeconds(yield* Timestamp.now, -triggerEventsRetentionDays * Timestamp.secondsPerDay)
      for (const consumer of Consumer.literals) {
        const expired = yield* repo.expire(consumer, before)
        if (expired === 0) continue
        metrics.swallowedExceptions.inc({ module: "trigger_events", site: "expired" }, expired)
        yield* Effect.logError(`${expired} trigger events of ${consumer} were deleted: nothing took them in time.`)
      }
    })
    yield* loops.upkeep("trigger event retention", "1 hour", expire)

    return { record, recordFor, recordOnSqlite, requeue, bumpRevision, consume, consumeForever } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(TriggerEventsRepo.layer))
}

const undecodableCause = Cause.fail("the payload is not that of this version")

/** The database or the process is at fault, and no event. */
const isTransient = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return Cause.isInterrupted(cause) || isUnavailable(error) || isContention(error)
}
