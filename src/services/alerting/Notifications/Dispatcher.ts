import { Clock, Effect, Either, FiberSet, Layer, Queue, Schedule, Stream } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { Metrics } from "../../kernel/Metrics.ts"
import { Hints } from "../../kernel/sql/Database.ts"
import { ChannelTypes } from "../Channels/ChannelTypes.ts"
import { ChannelHealth } from "../Channels/Health.ts"
import { ChannelsRepo } from "../Channels/Repo.ts"
import { type ClaimedDelivery, DeliveriesRepo } from "../Deliveries/Repo.ts"
import { makeClaims } from "./Dispatcher/Claim.ts"
import { makeInFlight } from "./Dispatcher/InFlight.ts"
import { type Attempt, makeRecorder } from "./Dispatcher/Record.ts"
import { makeSender, type SentAttempt } from "./Dispatcher/Send.ts"
import { makeTargetRates } from "./Dispatcher/TargetRates.ts"

/** A send that is older is slow: it makes room for others (interface, Limits). */
const slowMillis = 200

/** Attempts that one transaction records. */
const recordSlice = 64

/** So long an attempt waits for others that end, to be recorded with them: a commit costs more than a send. */
const gatherPause = "10 millis"

/** When the program ends, sends may take this long; the others are given back. */
const drainTimeout = "4 seconds"

/**
 * Sends the deliveries that are due, on every replica: claims them by a lease, at most a few of each channel and 16 of
 * each batch of events, sends them concurrently and records the results. A process that is killed between claim and
 * record leaves its claims to the others, which send them again under the same id.
 */
export const makeDispatcher = Effect.gen(function*() {
  const repo = yield* DeliveriesRepo
  const record = yield* makeRecorder
  const hints = yield* Hints
  const loops = yield* Loops
  const metrics = yield* Metrics
  const rates = makeTargetRates()
  const attempt = yield* makeSender(rates)

  const wake = yield* Queue.sliding<void>(1)
  const inFlight = makeInFlight(() => void wake.unsafeOffer(undefined))
  const poll = yield* makeClaims(inFlight, rates)
  const attempts = yield* Queue.unbounded<SentAttempt>() // no more than are in flight
  const unrecorded: Array<SentAttempt> = []
  const sends = yield* FiberSet.make()
  let isEnding = false

  const giveBack = (delivery: ClaimedDelivery, waitMillis: number) =>
    Effect.gen(function*() {
      const dueAt = Timestamp.addSeconds(yield* Timestamp.now, waitMillis / 1000)
      yield* repo.release([inFlight.newestOf(delivery)], dueAt)
      inFlight.remove(delivery)
    }).pipe(Effect.catchAllCause(() => Effect.sync(() => inFlight.remove(delivery)))) // the lease ends by itself

  /** Sends one delivery, or gives it back where its target takes none for long. */
  const send = Effect.fnUntraced(function*(delivery: ClaimedDelivery, sealedConfig: string | undefined) {
    const place = inFlight.begin(delivery.channel_id)
    const work = Effect.flatMap(
      attempt(delivery, sealedConfig, place.leaveFresh),
      (ended) => (typeof ended === "number" ? giveBack(delivery, ended) : attempts.offer(ended))
    )
    const becomeSlow = Effect.delay(Effect.sync(place.becomeSlow), slowMillis)
    yield* Effect.raceFirst(work, Effect.zipRight(becomeSlow, Effect.never)).pipe(
      Effect.ensuring(Effect.sync(place.end))
    )
  })

  const pollAndWait = Effect.gen(function*() {
    if (isEnding) return yield* Effect.never
    const { claims, pause } = yield* poll
    yield* Effect.forEach(
      claims,
      ({ delivery, sealedConfig }) => FiberSet.run(sends, send(delivery, sealedConfig)),
      { discard: true }
    )
    yield* loops.reportSuccess("deliveries")
    if (pause > 0) yield* Effect.timeoutOption(Queue.take(wake), pause)
    else yield* Effect.yieldNow()
  })

  const recordNext = Effect.gen(function*() {
    if (unrecorded.length === 0) {
      unrecorded.push(yield* Queue.take(attempts))
      if (inFlight.size() > 1 && !isEnding) yield* Effect.sleep(gatherPause)
      unrecorded.push(...(yield* Queue.takeUpTo(attempts, recordSlice - 1)))
    }
    const batch = unrecorded.map((attempt): Attempt => ({
      ...attempt,
      claimed_until: inFlight.newestOf(attempt.delivery).claimed_until,
      wasFailing: inFlight.isFailing(attempt.delivery.channel_id)
    }))
    const records = yield* record(batch)
    unrecorded.length = 0
    for (const { delivery, outcome } of batch) {
      const fault = Either.isLeft(outcome) ? outcome.left.fault : null
      if (fault !== "message") inFlight.setFailing(delivery.channel_id, fault !== null)
      inFlight.remove(delivery)
    }
    for (const [index, { status }] of records.entries()) {
      const attempt = batch[index]
      if (attempt === undefined) continue
      const outcome = status === "pending" ? "retried" : status
      metrics.deliveries.inc({ type: attempt.delivery.channel_type, outcome })
      metrics.deliverySeconds.observe({ type: attempt.delivery.channel_type }, attempt.duration_ms / 1000)
    }
  })

  const measure = Effect.gen(function*() {
    const { oldest, waiting } = yield* repo.countWaiting(10_000)
    metrics.deliveriesWaiting.set(waiting)
    const age = oldest === null ? 0 : (yield* Clock.currentTimeMillis) - Timestamp.toEpochMillis(oldest)
    metrics.deliveryOldestSeconds.set(Math.max(0, age / 1000))
  })

  yield* loops.forever("delivery hints", Stream.runForEach(hints.subscribe("deliveries"), () => wake.offer(undefined)))
  yield* loops.forever("delivery records", recordNext, { longestPause: "5 seconds" })
  yield* loops.every("delivery metrics", "15 seconds", measure)
  yield* loops.forever("deliveries", pollAndWait, { longestPause: "5 seconds" })

  // first of all finalizers, while the loops still record
  const isDrained = Effect.sync(() => inFlight.size() === 0)
  const drain = Effect.repeat(isDrained, { until: (done) => done, schedule: Schedule.spaced("20 millis") })
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      isEnding = true
      yield* drain.pipe(Effect.interruptible, Effect.timeoutOption(drainTimeout))
      yield* FiberSet.clear(sends)
      const now = yield* Timestamp.now
      yield* Effect.forEach(inFlight.claims(), (delivery) => repo.release([delivery], now), { discard: true })
    }).pipe(Effect.catchAllCause((cause) => Effect.logWarning("claimed deliveries were not given back", cause)))
  )
})

export const layer = Layer.scopedDiscard(makeDispatcher).pipe(
  Layer.provide([ChannelHealth.layer, ChannelTypes.layer, ChannelsRepo.layer, DeliveriesRepo.layer])
)
