import { Clock, Effect } from "effect"
import { type Bucket, buckets, windowSeconds } from "../domain/Access.ts"

/**
 * Sliding windows in this process's memory, one per bucket and key (interface, Limits). A refused
 * request is not added, so that retrying early does not lengthen the penalty. At most `maxKeys` windows are kept per
 * bucket: the ones longest unused are forgotten first.
 */
const maxKeys = 50_000

export class RateLimits extends Effect.Service<RateLimits>()("svc/RateLimits", {
  sync: () => {
    const windows = new Map<Bucket, Map<string, Array<number>>>()

    /** Whether one more request of `key` fits in the bucket now; counts it if so. */
    const take = (bucket: Bucket, key: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const keys = windows.get(bucket) ?? new Map<string, Array<number>>()
        windows.set(bucket, keys)
        const since = now - windowSeconds(bucket) * 1000
        const times = (keys.get(key) ?? []).filter((time) => time > since)
        keys.delete(key)
        const fits = times.length < buckets[bucket]
        if (fits) times.push(now)
        keys.set(key, times)
        if (keys.size > maxKeys) {
          const oldest = keys.keys().next().value
          if (oldest !== undefined) keys.delete(oldest)
        }
        return fits
      })

    return { take } as const
  }
}) {
  static readonly layer = this.Default
}
