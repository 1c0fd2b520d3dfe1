import { Effect } from "effect"

/**
 * Lets the event loop go round once. Effect's own yieldNow stays within the current turn, so that a long row of short
 * synchronous pieces (better-sqlite3) would keep sockets and timers waiting.
 */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => resume(Effect.void))
})
