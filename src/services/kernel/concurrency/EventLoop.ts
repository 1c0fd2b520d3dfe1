import { Effect } from "effect"

/**
 * Yields one turn of the event loop. Effect's yieldNow stays within the current turn, so a long series of synchronous
 * statements (SQLite) would block sockets and timers.
 */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => resume(Effect.void))
})
