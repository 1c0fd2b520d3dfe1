import { Clock, Effect } from "effect"
import { type Bucket, buckets, windowSeconds } from "../domain/Access.ts"
import { rateKey } from "../domain/ClientAddress.ts"
import { Settings } from "./Settings.ts"

/** Of a bucket at most twice as many keys are remembered; then those go that were silent longest. */
const mostYoung = 10_000

/** The last accepted requests of one key, in a ring as large as the bucket once it is full. */
interface Window {
  readonly times: Array<number>
  /** Where the oldest one is. */
  oldest: number
}

/** The windows of one bucket: those used since `since`, and of the others those used in the time before. */
interface Generations {
  readonly since: number
  readonly young: Map<string, Window>
  readonly old: Map<string, Window>
}

/**
 * Sliding windows in this process's memory, one per bucket and key (interface, Limits): a request is accepted when fewer
 * than the bucket's number were accepted in the window that ends with it. A refused request is not added, so that
 * retrying early does not lengthen the penalty.
 */
export class RateLimits extends Effect.Service<RateLimits>()("svc/RateLimits", {
  effect: Effect.map(Settings, (settings) => {
    const all = new Map<Bucket, Generations>()

    /** Two generations instead of one map in order of use: whose first key is slow to find once many were taken out. */
    const generationsOf = (bucket: Bucket, now: number): Generations => {
      const known = all.get(bucket)
      if (known !== undefined && known.young.size < mostYoung && now - known.since < windowSeconds(bucket) * 1000) return known
      // after a whole window what is dropped here holds nothing that counts; before, it is the price of a spray
      const next = { since: now, young: new Map<string, Window>(), old: known?.young ?? new Map<string, Window>() }
      all.set(bucket, next)
      return next
    }

    /** Whether one more request of `key` fits in the bucket now; counts it if so. */
    const take = (bucket: Bucket, key: string): Effect.Effect<boolean> =>
      Effect.map(Clock.currentTimeNanos, (nanos) => { // not the time of day, which may jump
        const now = Number(nanos / 1000n) / 1000
        const most = bucket === "mfa" ? settings.mfaVerificationRate : buckets[bucket]
        const { old, young } = generationsOf(bucket, now)
        const window = young.get(key) ?? old.get(key) ?? { times: [], oldest: 0 }
        young.set(key, window)
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
    const takeFrom = (bucket: Bucket, address: string | null): Effect.Effect<boolean> => take(bucket, rateKey(address))

    return { take, takeFrom } as const
  })
}) {
  static readonly layer = this.Default
}
