import { SqlClient, type SqlError } from "@effect/sql"
import { Cause, Duration, Effect, Exit, Queue, type Scope } from "effect"
import type { Consumer } from "../../../domain/kernel/Consumer.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { makeHintRoutes } from "../../kernel/HintRoutes.ts"
import { Metrics } from "../../kernel/Metrics.ts"
import { isContention, isUnavailable } from "../../kernel/sql/Database.ts"
import { type TakenEvents, TriggerEventsRepo, type UndecodableEvent, type WaitingEvent } from "./Repo.ts"

export interface ConsumeOptions {
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

/** How consumers take their events out of the outbox. */
export const makeConsumers = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* TriggerEventsRepo
  const loops = yield* Loops
  const metrics = yield* Metrics
  const subscribeHints = yield* makeHintRoutes("trigger event hints", "trigger_events")

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
        Effect.catchAllCause((cause) => isTransient(cause) ? Effect.failCause(cause) : postpone(consumer, event, cause))
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

  return { consume, consumeForever } as const
})

const undecodableCause = Cause.fail("the payload is not that of this version")

/** The database or the process is at fault, and no event. */
const isTransient = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return Cause.isInterrupted(cause) || isUnavailable(error) || isContention(error)
}
