import { Effect } from "effect"
import { ActionFailed } from "./Engine.ts"
import { messageOf } from "./ErrorInfo.ts"
import { BadCommand } from "./Parameters.ts"

/** A call of a broker takes no longer; what it does after that nobody knows (agents' protocol, section 5.1). */
const CALL_TIMEOUT = "10 seconds"

/**
 * One broker call, cut at ten seconds (what it was doing goes on in the background: it may not listen), with what it
 * breaks turned into an answer.
 */
export const callEngine = <A>(call: () => Effect.Effect<A, ActionFailed>): Effect.Effect<A, ActionFailed> =>
  Effect.suspend(call).pipe(
    Effect.disconnect,
    Effect.timeoutFail({
      duration: CALL_TIMEOUT,
      onTimeout: () =>
        new ActionFailed({
          message: "The engine did not answer within 10 seconds; the work may have been done all the same.",
          indeterminate: true
        })
    }),
    Effect.catchAllDefect(failureOfDefect)
  )

/** What a defect answers: a command that was wrong, or an adapter that broke. */
export const failureOfDefect = (defect: unknown): ActionFailed => {
  if (defect instanceof BadCommand) return new ActionFailed({ message: defect.message })
  const message = `The engine's adapter broke: ${messageOf(defect)}. Whether the work was done is not known.`
  return new ActionFailed({ message, indeterminate: true })
}
