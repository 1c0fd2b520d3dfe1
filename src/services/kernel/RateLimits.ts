import { Clock, Effect } from "effect"
import { type Bucket, rateBuckets, windowSeconds } from "../../domain/kernel/Access.ts"
import { clientKey } from "../../domain/kernel/net/ClientAddress.ts"
import { Settings } from "./Settings.ts"

/** Keys per generation; a bucket has two. The least recently used keys are evicted. */
const maxRecentKeys = 10_000

/** The last accepted requests of one key, in a ring buffer of the bucket's size. */
interface SlidingWindow {
  readonly times: Array<number>
  /** The index of the oldest one. */
  oldest: number
}

/** The windows of one bucket in two generations: used since `since`, and used in the period before. */
interface Generations {
  readonly since: number
  readonly recent: Map<string, SlidingWindow>
  readonly previous: Map<string, SlidingWindow>
}

/**
 * Sliding windows in this process's memory, one per bucket and key (interface, Limits): a request is accepted when
 * fewer than the bucket's number were accepted in the window that ends with it. A refused request is not added, so
 * that retrying early does not lengthen the penalty.
 */
export class RateLimits extends Effect.Service<RateLimits>()("svc/RateLimits", {
  effect: Effect.map(Settings, (settings) => {
    const generationsByBucket = new Map<Bucket, Generations>()

    /**
     * Two generations instead of one map in order of use, in which the first key is slow to find after many deletions.
     */
    const generationsOf = (bucket: Bucket, now: number): Generations => {
      const generations = generationsByBucket.get(bucket)
      if (
        generations !== undefined && generations.recent.size < maxRecentKeys &&
        now - generations.since < windowSeconds(bucket) * 1000
      ) return generations
      // after a whole window the dropped generation has no request that counts; earlier, a spray of keys loses some
      const next = {
        since: now,
        recent: new Map<string, SlidingWindow>(),
        previous: generations?.recent ?? new Map<string, SlidingWindow>()
      }
      generationsByBucket.set(bucket, next)
      return next
    }

    /** Whether the bucket accepts another request of `key` now; counts it if so. */
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

    /** `take` for a client's address. Addresses that one subscriber can choose freely count as one. */
    const takeForAddress = (bucket: Bucket, address: string | null): Effect.Effect<boolean> =>
      take(bucket, clientKey(address))

    return { take, takeForAddress: takeForAddress } as const
  })
}) {
  static readonly layer = this.Default
}
