import { Data, type Duration, Effect, Schedule } from "effect"

class NotYet extends Data.TaggedError("NotYet")<{ readonly last: string }> {
  override get message() {
    return `waited in vain; last seen: ${this.last}`
  }
}

/** Runs `ask` until its value satisfies `when`; fails with the last value at the limit. */
export const until = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  when: (value: A) => boolean,
  limit: Duration.DurationInput = "100 seconds"
): Effect.Effect<A, E | NotYet, R> =>
  Effect.flatMap(
    ask,
    (value) =>
      when(value)
        ? Effect.succeed(value)
        : Effect.fail(new NotYet({ last: JSON.stringify(value)?.slice(0, 2000) ?? "" }))
  ).pipe(
    Effect.retry({
      schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo(limit)),
      while: (error) => error instanceof NotYet
    })
  )
