import { Clock, Effect } from "effect"
import { type Bucket, rateBuckets, windowSeconds } from "../domain/Access.ts"
import { clientKey } from "../domain/ClientAddress.ts"
import { Settings } from "./Settings.ts"

/** Of a bucket at most twice as many keys are remembered; then those go that were silent longest. */
const maxRecentKeys = 10_000

/** The last accepted requests of one key, in a ring as large as the bucket once it is full. */
interface SlidingWindow {
  readonly times: Array<number>
  /** Where the oldest one is. */
  oldest: number
}

/** The windows of one bucket: those used since `since`, and of the others those used in the time before. */
interface Generations {
  readonly since: number
  readonly recent: Map<string, SlidingWindow>
  readonly previous: Map<string, SlidingWindow>
}

/**
 * Sliding windows in this process's memory, one per bucket and key (interface, Limits): a request is accepted when fewer
 * than the bucket's number were accepted in the window that ends with it. A refused request is not added, so that
 * retrying early does not lengthen the penalty.
 */
export class RateLimits extends Effect.Service<RateLimits>()("svc/RateLimits", {
  effect: Effect.map(Settings, (settings) => {
    const generationsByBucket = new Map<Bucket, Generations>()

    /** Two generations instead of one map in order of use: whose first key is slow to find once many were taken out. */
    const generationsOf = (bucket: Bucket, now: number): Generations => {
      const known = generationsByBucket.get(bucket)
      if (known !== undefined && known.recent.size < maxRecentKeys && now - known.since < windowSeconds(bucket) * 1000) return known
      // after a whole window what is dropped here holds nothing that counts; before, it is the price of a spray
      const next = { since: now, recent: new Map<string, SlidingWindow>(), previous: known?.recent ?? new Map<string, SlidingWindow>() }
      generationsByBucket.set(bucket, next)
      return next
    }

    /** Whether one more request of `key` fits in the bucket now; counts it if so. */
    const take = (bucket: Bucket, key: string): Effect.Effect<boolean> =>
      Effect.map(Clock.currentTimeNanos, (nanos) => { // not the time of day, which may jump
        const now = Number(nanos / 1000n) / 1000
        const most = bucket === "mfa" ? settings.mfaVerificationRate : rateBuckets[bucket]
        const { previous, recent } = generationsOf(bucket, now)
        const window = recent.get(key) ?? previous.get(key) ?? { times: [], oldest: 0 }
        recent.set(key, window)
        if (window.times.length < most) {
          window.times.push(now)
          return true
        }
        if ((window.times[window.oldest] ?? now) > now - windowSeconds(bucket) * 1000) return false
        window.times[window.oldest] = now
        window.oldest = (window.oldest + 1) % most
        return true
      })

    /** The same for the address of a client; those that one subscriber has at will count as one. */
    const takeForAddress = (bucket: Bucket, address: string | null): Effect.Effect<boolean> => take(bucket, clientKey(address))

    return { take, takeFrom: takeForAddress } as const
  })
}) {
  static readonly layer = this.Default
}
