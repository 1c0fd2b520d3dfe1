import { Clock, Console, Effect } from "effect"
import { OutcomeUnknown } from "../program/Explain.ts"
import { reportInterrupt, retryTransient } from "./Outcome.ts"
import type { ApiError, DecodedResponse } from "./Remote.ts"

/** Between two reads. */
const pause = "500 millis"

/** Where standard error is no terminal, a line at most this often. */
const linePauseMillis = 5000

/**
 * Polls a job until `isLast`, and shows on standard error how far it is; returns the last response.
 * `format` makes the line; `interrupted` says what an interrupt means and how to continue watching.
 */
export const watchProgress = <A>(first: DecodedResponse<A>, { format, interrupted, isLast, read }: {
  readonly read: Effect.Effect<DecodedResponse<A>, ApiError>
  readonly format: (job: A, nowMillis: number) => string
  readonly isLast: (job: A) => boolean
  readonly interrupted: string
}): Effect.Effect<DecodedResponse<A>, ApiError> =>
  Effect.gen(function*() {
    const isTerminal = process.stderr.isTTY
    let printed = { line: "", at: 0 }
    const print = (job: A) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const line = format(job, now)
        const isEnd = isLast(job)
        const isDue = isEnd || now - printed.at >= linePauseMillis
        const isKnown = line === printed.line
        if (isTerminal ? isKnown && !isEnd : isKnown || !isDue) return
        if (isTerminal) process.stderr.write(`\r${line}\u001b[K${isEnd ? "\n" : ""}`)
        else yield* Console.error(line)
        printed = { line, at: now }
      })
    let response = first
    yield* print(response[0])
    while (!isLast(response[0])) {
      response = yield* Effect.delay(retryTransient(read), pause)
      yield* print(response[0])
    }
    return response
  }).pipe(Effect.onInterrupt(() => reportInterrupt(new OutcomeUnknown({ message: interrupted }))))
