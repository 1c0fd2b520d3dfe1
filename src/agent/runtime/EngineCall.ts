import { Effect } from "effect"
import { ActionFailed } from "./Engine.ts"
import { messageOf } from "./ErrorInfo.ts"
import { BadCommand } from "./Parameters.ts"

/** Timeout of a broker call. The outcome of a longer one is unknown (agents' protocol, section 5.1). */
const CALL_TIMEOUT = "10 seconds"

/**
 * One broker call with a timeout of ten seconds. Afterwards the call continues in the background, as it may ignore
 * interruption. A defect becomes a failure.
 */
export const callEngine = <A>(call: () => Effect.Effect<A, ActionFailed>): Effect.Effect<A, ActionFailed> =>
  Effect.suspend(call).pipe(
    Effect.disconnect,
    Effect.timeoutFail({
      duration: CALL_TIMEOUT,
      onTimeout: () =>
        new ActionFailed({
          message: "The engine did not answer within 10 seconds. The outcome is unknown: the work may have been done.",
          indeterminate: true
        })
    }),
    Effect.catchAllDefect(failureOfDefect)
  )

/** The failure that replaces a defect: an invalid command, or a broken adapter. */
export const failureOfDefect = (defect: unknown): ActionFailed => {
  if (defect instanceof BadCommand) return new ActionFailed({ message: defect.message })
  const message = `The engine's adapter failed: ${messageOf(defect)}. The outcome is unknown.`
  return new ActionFailed({ message, indeterminate: true })
}
