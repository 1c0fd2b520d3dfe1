import { Cause, Clock, Effect, Layer, Option, Queue, Stream } from "effect"
import type { BulkRetryId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { isLeaseLost, Leader } from "../../kernel/concurrency/Leader.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { Hints } from "../../kernel/sql/Database.ts"
import { BulkRetryProgress } from "./Progress.ts"
import { BulkRetriesRepo, type BulkRetry } from "./Repo.ts"
import { BulkRetryRetention } from "./Retention.ts"

const loopName = "bulk retries"

/** The name of the lease: one process of all replicas retries. */
export const leaseName = "bulk retries"

/** After the leader is killed, another replica takes over within this time. */
const leaseDuration = "5 seconds"

/** Requests of a round. A project has at most 20 that have not ended. */
const maxRequests = 500

/** Between rounds: after progress, while commands are open, and while nothing is to be done. */
const busyMillis = 10
const waitingMillis = 100
const idleMillis = 1000

/** How long commands without an answer are read every `waitingMillis`. */
const patienceMillis = 10_000

/** The retries that a request's rate allows. */
interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** A second's worth at most; a new leader begins with nothing, so that a takeover does not exceed the rate. */
const refill = (bucket: Bucket | undefined, rate: number, now: number): Bucket => ({
  tokens: bucket === undefined ? 0 : Math.min(Math.max(rate, 1), bucket.tokens + ((now - bucket.at) / 1000) * rate),
  at: now
})

const makeLoop = Effect.gen(function*() {
  const progress = yield* BulkRetryProgress
  const repo = yield* BulkRetriesRepo
  const retention = yield* BulkRetryRetention
  const leader = yield* Leader
  const hints = yield* Hints
  const loops = yield* Loops
  const wake = yield* Queue.sliding<void>(1)
  const buckets = new Map<BulkRetryId, Bucket>()
  /** When each request moved last. */
  const movedAt = new Map<BulkRetryId, number>()

  const pruneEnded = (active: ReadonlySet<BulkRetryId>) => {
    for (const seen of [buckets, movedAt]) for (const id of seen.keys()) if (!active.has(id)) seen.delete(id)
  }

  /** Moves a request on; returns the milliseconds until its next step. */
  const advance = Effect.fnUntraced(function*(request: BulkRetry) {
    const { id, rate_per_second } = request
    const now = yield* Clock.currentTimeMillis
    const bucket = rate_per_second === null ? null : refill(buckets.get(id), rate_per_second, now)
    const allowance = bucket === null ? Infinity : Math.floor(bucket.tokens)
    const { issued, moved, open } = yield* progress.advance(request, allowance)
    if (moved > 0) movedAt.set(id, now)
    const isQuiet = now - (movedAt.get(id) ?? 0) > patienceMillis
    const waiting = moved > 0 ? busyMillis : open > 0 && !isQuiet ? waitingMillis : idleMillis
    if (bucket === null || rate_per_second === null) return waiting
    const left = { tokens: bucket.tokens - issued, at: now }
    buckets.set(id, left)
    const untilNext = Math.max(busyMillis, ((1 - left.tokens) / rate_per_second) * 1000)
    return Math.min(untilNext, Math.max(waiting, waitingMillis))
  })

  /** A request that cannot be moved on does not stop the others; a lost lease ends all. */
  const advanceOrReport = (request: BulkRetry) =>
    Effect.catchAllCause(advance(request), (cause) =>
      Cause.isInterrupted(cause) || isLeaseLost(cause)
        ? Effect.failCause(cause)
        : Effect.as(
          Effect.zipRight(
            loops.markFailed(loopName, cause),
            Effect.annotateLogs(Effect.logError("a step of a bulk retry failed; it is retried", cause), {
              bulk_retry_id: request.id,
              project_id: request.project_id
            })
          ),
          Infinity
        ))

  const round = Effect.gen(function*() {
    const requests = yield* repo.listActive(yield* Timestamp.now, maxRequests)
    pruneEnded(new Set(requests.map(({ id }) => id)))
    const pauses = yield* Effect.forEach(requests, advanceOrReport)
    if (!pauses.includes(Infinity)) yield* loops.reportSuccess(loopName)
    yield* Effect.raceFirst(Effect.sleep(Math.min(...pauses, idleMillis)), wake.take)
  })

  const lead = Effect.raceFirst(
    Effect.forever(round),
    Stream.runForEach(hints.subscribe("bulk_retries"), () => wake.offer(undefined))
  )

  // another replica leads: look again later
  const leadOrWait = Effect.flatMap(
    leader.only(leaseName, lead, { duration: leaseDuration }),
    Option.match({ onNone: () => Effect.sleep("1 second"), onSome: () => Effect.void })
  )
  yield* loops.forever(loopName, leadOrWait, { longestPause: "5 seconds" })
  yield* loops.upkeep("bulk retries retention", "1 hour", retention.sweep())
})

/** Advances bulk retries, on one replica at a time (`Leader`), and deletes those whose retention has passed. */
export const layer = Layer.scopedDiscard(makeLoop).pipe(
  Layer.provide([BulkRetriesRepo.layer, BulkRetryProgress.layer, BulkRetryRetention.layer, Leader.layer])
)
