import { Console, Effect, Schedule } from "effect"
import { exitCodeOf, OutcomeUnknown } from "../program/Explain.ts"
import { type ApiError, type DecodedResponse, isTransient } from "./Remote.ts"

/** An interrupted program would exit with 0, which means success. */
export const reportInterrupt = (outcome: OutcomeUnknown) =>
  Effect.zipRight(
    Console.error(outcome.message),
    Effect.sync(() => {
      process.exitCode = exitCodeOf(outcome)
    })
  )

/** Retries a read while the brain cannot respond. */
export const retryTransient = <A>(read: Effect.Effect<A, ApiError>) =>
  Effect.retry(read, { while: isTransient, schedule: Schedule.spaced("1 second") })

/**
 * Reads until the response `isLast`, from every 50 ms to every second; `isLast` is given the pause that would follow. `subject`
 * names in a message what has no outcome yet, after `longestMillis` or an interrupt.
 */
export const awaitOutcome = <A>(read: Effect.Effect<DecodedResponse<A>, ApiError>, { isLast, longestMillis, subject }: {
  readonly isLast: (value: A, pauseMillis: number) => boolean
  readonly longestMillis: number
  readonly subject: string
}) =>
  Effect.gen(function*() {
    let pauseMillis = 50
    let response = yield* retryTransient(read)
    while (!isLast(response[0], pauseMillis)) {
      response = yield* Effect.delay(retryTransient(read), pauseMillis)
      pauseMillis = Math.min(pauseMillis * 1.5, 1000)
    }
    return response
  }).pipe(
    Effect.timeoutFail({
      duration: longestMillis,
      onTimeout: () => new OutcomeUnknown({ message: `the brain did not report in time the outcome of ${subject}` })
    }),
    Effect.onInterrupt(() => reportInterrupt(new OutcomeUnknown({ message: `stopped waiting for ${subject}` })))
  )
