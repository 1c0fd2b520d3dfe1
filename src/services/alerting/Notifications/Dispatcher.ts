import { SqlClient } from "@effect/sql"
import { Clock, Effect, Either, FiberSet, Layer, Queue, Schedule, Stream } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { Metrics } from "../../kernel/Metrics.ts"
import { Hints } from "../../kernel/sql/Database.ts"
import { ChannelTypes } from "../Channels/ChannelTypes.ts"
import { ChannelHealth } from "../Channels/Health.ts"
import { ChannelsRepo } from "../Channels/Repo.ts"
import { channelsOfLook, type ClaimedDelivery, DeliveriesRepo, type WaitingChannel } from "../Deliveries/Repo.ts"
import { type Attempt, makeRecorder } from "./Dispatcher/Record.ts"
import { makeSender } from "./Dispatcher/Send.ts"
import { makeTargetRates } from "./TargetRates.ts"

/** Sends of a process that are younger than `slowMillis` (interface, Limits). Slower ones make room for others. */
const maxFresh = 16
const slowMillis = 200

/** All sends of a process, also those that hang. It bounds the memory. */
const maxSends = 256

/** Sends to channels whose last attempt failed, so that they leave room for the others. */
const maxFailingSends = 128

/** Sends to one channel at a time, and to one whose last attempt failed. */
const maxOfChannel = 8
const maxOfFailingChannel = 1

/** A claim that is older was made by a process that has died. Longer than a send and its wait for the target's rate. */
const leaseSeconds = 60
const longestWaitMillis = 10_000

/** The loop looks at least this often: a hint may be lost. */
const pollMillis = 1000

/** A target whose rate is used up is looked at again after this, so that one claim takes several messages. */
const ratePauseMillis = 40

/** Deliveries that one statement suppresses, and attempts that one transaction records. */
const suppressSlice = 500
const recordSlice = 64

/** So long an attempt waits for others that end, to be recorded with them: a commit costs more than a send. */
const gatherPause = "10 millis"

/** When the program ends, sends may take this long; the others are given back. */
const drainTimeout = "4 seconds"

/** What the column of an attempt's duration holds: the clock may be set while a message is sent. */
const maxDurationMillis = 2 ** 31 - 1

/** An attempt as its send leaves it. */
type SentAttempt = Omit<Attempt, "claimed_until" | "wasFailing">

/** Whether messages are sent to it. */
const isOpen = ({ is_active, is_owner_active }: WaitingChannel): boolean => is_active === true && is_owner_active

/**
 * Sends the deliveries that are due, on every replica: claims them by a lease, at most a few of each channel and 16 of each
 * batch of events, sends them concurrently and records what came of it. A process that is killed between claim and record leaves its claims to the
 * others, which send them again under the same id.
 */
export const makeDispatcher = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* DeliveriesRepo
  const channelsRepo = yield* ChannelsRepo
  const sender = yield* makeSender
  const record = yield* makeRecorder
  const hints = yield* Hints
  const loops = yield* Loops
  const metrics = yield* Metrics
  const rates = makeTargetRates()

  const wake = yield* Queue.sliding<void>(1)
  const attempts = yield* Queue.unbounded<SentAttempt>() // at most `maxSends`
  const unrecorded: Array<SentAttempt> = []
  const sends = yield* FiberSet.make()

  /** Claimed, and not yet recorded. */
  const claims = new Map<string, ClaimedDelivery>()
  const sendsOf = new Map<string, number>()
  /** Sends by channel that have left `fresh` without an answer. */
  const slowOf = new Map<string, number>()
  const failingChannels = new Set<string>()
  const targetOf = new Map<string, string>()
  let fresh = 0
  /** The last look left deliveries for lack of room among the fresh ones. */
  let isFreshFull = false
  let cursor: string | null = null
  let isEnding = false

  /**
   * Returns those that this process does not send already. It can claim a delivery twice: while the database does not
   * answer, a sent one is not recorded, and its lease ends. The attempt is then recorded under the newer claim.
   */
  const addClaims = (claimed: ReadonlyArray<ClaimedDelivery>): ReadonlyArray<ClaimedDelivery> => {
    const added = claimed.filter(({ id }) => !claims.has(id))
    for (const delivery of claimed) claims.set(delivery.id, delivery)
    for (const { channel_id } of added) sendsOf.set(channel_id, (sendsOf.get(channel_id) ?? 0) + 1)
    return added
  }

  const newestClaimOf = (delivery: ClaimedDelivery): ClaimedDelivery => claims.get(delivery.id) ?? delivery

  const removeClaim = ({ channel_id, id }: ClaimedDelivery) => {
    if (!claims.delete(id)) return
    const left = (sendsOf.get(channel_id) ?? 1) - 1
    if (left > 0) sendsOf.set(channel_id, left)
    else sendsOf.delete(channel_id)
    wake.unsafeOffer(undefined)
  }

  const suppress = Effect.fnUntraced(function*(channel: WaitingChannel, now: Timestamp.Timestamp) {
    const { channel_id, is_active, is_owner_active } = channel
    const reason = is_active === null
      ? "The channel was deleted."
      : is_owner_active
      ? "The channel is not active."
      : "The owner of the channel may not sign in."
    const rows = yield* repo.suppress(channel_id, reason, now, suppressSlice)
    for (const { channel_type } of rows) {
      metrics.deliveries.inc({ type: String(channel_type), outcome: "suppressed" })
    }
    return rows.length
  })

  /** How many deliveries of the channel may be claimed now. */
  const capacityOf = ({ channel_id, consecutive_failures }: WaitingChannel, nowMillis: number): number => {
    const isFailing = (consecutive_failures ?? 0) > 0
    if (isFailing) failingChannels.add(channel_id)
    else failingChannels.delete(channel_id)
    if (slowOf.has(channel_id)) return 0 // it may hang: one look must not give it all the room
    const target = targetOf.get(channel_id)
    // the first one shows the target
    const rate = target === undefined ? 1 : rates.available(target, nowMillis)
    return Math.min((isFailing ? maxOfFailingChannel : maxOfChannel) - (sendsOf.get(channel_id) ?? 0), rate)
  }

  const countFailingSends = () => {
    let count = 0
    for (const [id, sends] of sendsOf) if (failingChannels.has(id)) count += sends
    return count
  }

  /** Claims for the channels in turn, as many as there is room for. */
  const claimFor = Effect.fnUntraced(
    function*(channels: ReadonlyArray<WaitingChannel>, now: Timestamp.Timestamp) {
      const nowMillis = Timestamp.toEpochMillis(now)
      const until = Timestamp.addSeconds(now, leaseSeconds)
      let room = Math.min(maxFresh - fresh, maxSends - claims.size)
      let failingRoom = maxFailingSends - countFailingSends()
      const claimed: Array<ClaimedDelivery> = []
      const busy = yield* repo.lockBatches(now)
      const share = Math.max(1, Math.floor(room / Math.max(1, channels.length)))
      for (const channel of channels) {
        const isFailing = (channel.consecutive_failures ?? 0) > 0
        const limit = Math.min(capacityOf(channel, nowMillis), share, room, isFailing ? failingRoom : room)
        if (limit <= 0) continue
        const rows = yield* repo.claim({ channelId: channel.channel_id, isFailing, limit, now, until, busy })
        claimed.push(...rows)
        room -= rows.length
        if (isFailing) failingRoom -= rows.length
      }
      return claimed
    },
    sql.withTransaction
  )

  const rememberTarget = (channelId: string, target: string) => {
    targetOf.delete(channelId)
    targetOf.set(channelId, target)
    const [oldest] = targetOf.size > 10_000 ? targetOf.keys() : []
    if (oldest !== undefined) targetOf.delete(oldest)
  }

  const giveBack = (delivery: ClaimedDelivery, waitMillis: number) =>
    Effect.gen(function*() {
      yield* repo.release([newestClaimOf(delivery)], Timestamp.addSeconds(yield* Timestamp.now, waitMillis / 1000))
      removeClaim(delivery)
    }).pipe(Effect.catchAllCause(() => Effect.sync(() => removeClaim(delivery)))) // the lease ends by itself

  /** Sends one delivery; it counts as fresh for at most a second. */
  const send = Effect.fnUntraced(function*(delivery: ClaimedDelivery, sealedConfig: string | undefined) {
    fresh++
    let isFresh = true
    const leaveFresh = Effect.sync(() => {
      if (!isFresh) return
      isFresh = false
      fresh--
      // at half of the room, because each look costs a commit whatever the number that it claims
      if (isFreshFull && fresh <= maxFresh / 2) wake.unsafeOffer(undefined)
    })
    const work = Effect.gen(function*() {
      const prepared = yield* Effect.either(sender.prepare(delivery, sealedConfig))
      if (Either.isRight(prepared)) {
        const { target, type: { rate } } = prepared.right
        rememberTarget(delivery.channel_id, target)
        const now = yield* Clock.currentTimeMillis
        const wait = rates.take(target, rate, now)
        if (wait > longestWaitMillis) {
          rates.giveBack(target, rate, now)
          return yield* giveBack(delivery, wait)
        }
        if (wait > 0) yield* Effect.zipRight(leaveFresh, Effect.sleep(wait))
      }
      const started_at = yield* Timestamp.now
      const startMillis = yield* Clock.currentTimeMillis
      const outcome = Either.isLeft(prepared)
        ? Either.left(prepared.left)
        : yield* Effect.either(sender.send(prepared.right))
      const endMillis = yield* Clock.currentTimeMillis
      if (Either.isRight(prepared)) {
        const { target, type: { rate } } = prepared.right
        const pause = Either.match(outcome, {
          onLeft: (failed) => (failed.response_code === 429 ? failed.retry_after : null),
          onRight: (receipt) => receipt.pause
        })
        if (pause !== null) rates.pause(target, rate, endMillis, pause)
      }
      attempts.unsafeOffer({
        delivery,
        prepared: Either.getOrNull(prepared),
        started_at,
        duration_ms: Math.min(Math.max(0, endMillis - startMillis), maxDurationMillis),
        outcome
      })
    })
    const { channel_id } = delivery
    let isSlow = false
    const markSlow = Effect.sync(() => {
      isSlow = true
      slowOf.set(channel_id, (slowOf.get(channel_id) ?? 0) + 1)
    })
    const unmarkSlow = Effect.sync(() => {
      const left = (slowOf.get(channel_id) ?? 1) - 1
      if (isSlow && left > 0) slowOf.set(channel_id, left)
      else if (isSlow) slowOf.delete(channel_id)
    })
    const becomeSlow = Effect.delay(Effect.zipRight(markSlow, leaveFresh), slowMillis)
    yield* Effect.raceFirst(work, Effect.zipRight(becomeSlow, Effect.never)).pipe(
      Effect.ensuring(Effect.zipRight(unmarkSlow, leaveFresh))
    )
  })

  /** Claims and begins to send; returns how many, and the milliseconds until the next look is worth it. */
  const look = Effect.gen(function*() {
    isFreshFull = fresh >= maxFresh
    if (isFreshFull || claims.size >= maxSends) return { count: 0, pause: pollMillis }
    const now = yield* Timestamp.now
    const waiting = yield* repo.listWaiting(cursor, yield* repo.listBusyBatches(now))
    const isPartial = waiting.length === channelsOfLook
    const nowMillis = Timestamp.toEpochMillis(now)
    let count = 0
    for (const channel of waiting) if (!isOpen(channel)) count += yield* suppress(channel, now)
    const due = waiting.filter((channel) => isOpen(channel) && channel.due_at !== null && channel.due_at <= now)
    const ready = due.filter((channel) => capacityOf(channel, nowMillis) > 0)
    // after the channels of the last look, so that none of many waits for all others
    const claimed = ready.length === 0 ? [] : yield* claimFor(ready, now)
    const lastClaimed = claimed.at(-1)
    const isFull = lastClaimed !== undefined && ready.at(-1)?.channel_id !== lastClaimed.channel_id
    isFreshFull = fresh + claimed.length >= maxFresh
    cursor = isFull ? lastClaimed.channel_id : isPartial ? waiting.at(-1)?.channel_id ?? null : null
    const added = addClaims(claimed)
    if (added.length > 0) {
      const configs = yield* channelsRepo.listConfigs([...new Set(added.map(({ channel_id }) => channel_id))]).pipe(
        Effect.onError(() => Effect.sync(() => added.forEach(removeClaim))) // their leases end by themselves
      )
      const sealed = new Map<string, string>(configs.map(({ id, sealed_config }) => [id, sealed_config]))
      yield* Effect.forEach(
        added,
        (delivery) => FiberSet.run(sends, send(delivery, sealed.get(delivery.channel_id))),
        { discard: true }
      )
    }
    const next = waiting.map(({ channel_id, due_at }) => {
      if (due_at === null) return pollMillis // the end of a send of the batch wakes the loop
      if (due_at > now) return Timestamp.toEpochMillis(due_at) - nowMillis
      const target = targetOf.get(channel_id)
      const wait = target === undefined ? 0 : rates.waitOf(target, nowMillis)
      return wait > 0 ? Math.max(ratePauseMillis, wait) : pollMillis // the end of a send wakes the loop
    })
    const hasMore = count + claimed.length > 0 || cursor !== null
    return {
      count: claimed.length,
      pause: hasMore ? 0 : Math.min(pollMillis, ...next.map((wait) => Math.max(1, wait)))
    }
  })

  const lookAndWait = Effect.gen(function*() {
    if (isEnding) return yield* Effect.never
    const { pause } = yield* look
    yield* loops.reportSuccess("deliveries")
    if (pause > 0) yield* Effect.timeoutOption(Queue.take(wake), pause)
    else yield* Effect.yieldNow()
  })

  const recordNext = Effect.gen(function*() {
    if (unrecorded.length === 0) {
      unrecorded.push(yield* Queue.take(attempts))
      if (claims.size > 1 && !isEnding) yield* Effect.sleep(gatherPause)
      unrecorded.push(...(yield* Queue.takeUpTo(attempts, recordSlice - 1)))
    }
    const batch = unrecorded.map((attempt): Attempt => ({
      ...attempt,
      claimed_until: newestClaimOf(attempt.delivery).claimed_until,
      wasFailing: failingChannels.has(attempt.delivery.channel_id)
    }))
    const records = yield* record(batch)
    unrecorded.length = 0
    for (const { delivery, outcome } of batch) {
      if (Either.isRight(outcome)) failingChannels.delete(delivery.channel_id)
      else if (outcome.left.fault !== "message") failingChannels.add(delivery.channel_id)
      removeClaim(delivery)
    }
    for (const [at, { status }] of records.entries()) {
      const attempt = batch[at]
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
  yield* loops.forever("deliveries", lookAndWait, { longestPause: "5 seconds" })

  // first of all finalizers, while the loops still record
  const isDrained = Effect.sync(() => claims.size === 0)
  const drain = Effect.repeat(isDrained, { until: (done) => done, schedule: Schedule.spaced("20 millis") })
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      isEnding = true
      yield* drain.pipe(Effect.interruptible, Effect.timeoutOption(drainTimeout))
      yield* FiberSet.clear(sends)
      const now = yield* Timestamp.now
      const left = [...claims.values()]
      yield* Effect.forEach(left, (delivery) => repo.release([delivery], now), { discard: true })
    }).pipe(Effect.catchAllCause((cause) => Effect.logWarning("claimed deliveries were not given back", cause)))
  )
})

export const layer = Layer.scopedDiscard(makeDispatcher).pipe(
  Layer.provide([ChannelHealth.layer, ChannelTypes.layer, ChannelsRepo.layer, DeliveriesRepo.layer])
)
