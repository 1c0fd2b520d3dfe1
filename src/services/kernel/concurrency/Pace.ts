import { Effect } from "effect"
import { performance } from "node:perf_hooks"
import { FairQueue } from "./FairQueue.ts"

/** Slices run for this long before the event loop is asked whether anything else waits. */
const burstMillis = 10
/** While the loop is busy, slices rest for this many times as long as they ran: they get a fifth of it. */
const restFactor = 4
/** What the loop spends on a slice whose rows come from PostgreSQL: decoded, encoded and written in turns of their own. */
const bytesPerMilli = 256 * 1024

/**
 * Paces the slices of heavy reads. A turn of the event loop starts one slice, and users take turns. While nothing else
 * happens a heavy read runs at full speed; on a busy loop all of them together leave four fifths to other requests and to
 * the ingest.
 */
export const makePace = Effect.map(Effect.clock, (clock) => {
  const queue = new FairQueue<() => void>()
  const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
  let isRunning = false
  let spentMillis = 0

  const startNext = (): void => {
    const next = queue.take()
    isRunning = next !== undefined
    if (next === undefined) return
    const startedAt = now()
    next()
    setImmediate(() => {
      spentMillis += now() - startedAt
      if (spentMillis < burstMillis) return startNext()
      rest(now(), spentMillis * restFactor)
      spentMillis = 0
    })
  }

  /** Until the loop has been idle for a moment, or for the whole time. */
  const rest = (since: number, millis: number): void => {
    const before = performance.eventLoopUtilization()
    setTimeout(() => {
      const isIdle = performance.eventLoopUtilization(before).utilization < 0.5
      if (isIdle || now() - since >= millis) startNext()
      else rest(since, millis)
    }, 1)
  }

  return {
    /** Waits until a slice of this user may start. */
    awaitTurn: (user: string): Effect.Effect<void> =>
      Effect.async((resume) => {
        const start = () => resume(Effect.void)
        queue.add(user, start)
        if (!isRunning) startNext()
        return Effect.sync(() => queue.delete(user, start))
      }),

    /** Says how many bytes a slice had. */
    note: (bytes: number): void => {
      spentMillis += bytes / bytesPerMilli
    }
  } as const
})
