import { Clock, Duration, Effect } from "effect"

/**
 * Delays the result of `self` to a multiple of `slot` milliseconds after its start, so the time does not reveal what it
 * did, nor whether it wrote to the database. A slot of 0 changes nothing.
 */
export const padToMultiple = <A, E, R>(self: Effect.Effect<A, E, R>, slotMillis: number): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const begin = yield* Clock.currentTimeMillis
    const outcome = yield* Effect.exit(self)
    const elapsed = (yield* Clock.currentTimeMillis) - begin
    const slots = slotMillis === 0 ? 0 : Math.max(1, Math.ceil(elapsed / slotMillis))
    yield* Effect.sleep(Duration.millis(Math.max(0, slots * slotMillis - elapsed)))
    return yield* outcome
  })
