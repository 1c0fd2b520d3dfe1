import type { SqlError } from "@effect/sql"
import { Effect, Layer } from "effect"
import { Consumer } from "../../domain/kernel/Consumer.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { TriggerEvent } from "../../domain/triggers/Trigger.ts"
import type { SqliteConnection } from "../../sqlite/Connection.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints } from "../kernel/sql/Database.ts"
import { makeConsumers } from "./TriggerEvents/Consumers.ts"
import { type Interests, makeInterestCache } from "./TriggerEvents/Interests.ts"
import { type TriggerEventRow, TriggerEventsRepo } from "./TriggerEvents/Repo.ts"
import { makeRows, makeRowsFor } from "./TriggerEvents/Rows.ts"

/** Makes the events of a transaction, for projects with interests only. */
type MakeEvents<A> = (interests: ReadonlyMap<ProjectId, Interests>) => A

/**
 * The outbox of trigger events (docs/notifications.md): a fact inserts its events in the transaction that stores it, and
 * each consumer takes them out in the transaction that writes what they become. So no event is lost or taken twice,
 * wherever a process dies.
 */
export class TriggerEvents extends Effect.Service<TriggerEvents>()("svc/TriggerEvents", {
  scoped: Effect.gen(function*() {
    const repo = yield* TriggerEventsRepo
    const hints = yield* Hints
    const loops = yield* Loops
    const metrics = yield* Metrics
    const { triggerEventsRetentionDays } = yield* Settings
    const interestCache = yield* makeInterestCache

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

    const { consume, consumeForever } = yield* makeConsumers

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
