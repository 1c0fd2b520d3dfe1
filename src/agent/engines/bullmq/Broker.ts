/** Calls of BullMQ as effects. A failure is one sentence for the operator. */
import { Effect } from "effect"
import { ActionFailed } from "../../runtime/Engine.ts"
import { messageOf } from "../../runtime/ErrorInfo.ts"
import { type BullMQObject, ignoreLateFailure } from "./Backend.ts"

const timeout = "10 seconds"

/** A call that changes nothing, so a timeout leaves nothing unknown. */
export const read = <A>(call: () => Promise<A>): Effect.Effect<A, ActionFailed> => callBroker(call, false)

/** A call that changes something. After a timeout the outcome is unknown: the client executes it when Redis is back. */
export const write = <A>(call: () => Promise<A>): Effect.Effect<A, ActionFailed> => callBroker(call, true)

const callBroker = <A>(call: () => Promise<A>, indeterminate: boolean) =>
  Effect.tryPromise({ try: call, catch: toActionFailed }).pipe(
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () =>
        new ActionFailed({
          message: "Redis did not answer within 10 seconds. Check that it runs and that this machine reaches it.",
          indeterminate
        })
    })
  )

/**
 * Closes an object in a finalizer. The timeout is for a Redis that is away, for which BullMQ would wait without end.
 */
export const close = (opened: BullMQObject & { readonly close: () => Promise<void> }): Effect.Effect<void> =>
  Effect.tryPromise(() => opened.close()).pipe(
    Effect.interruptible,
    Effect.timeout("1 second"),
    Effect.ignore,
    Effect.zipRight(Effect.sync(() => ignoreLateFailure(opened)))
  )

const toActionFailed = (error: unknown) => new ActionFailed({ message: messageOf(error) })

export const refuse = (message: string): Effect.Effect<never, ActionFailed> =>
  Effect.fail(new ActionFailed({ message }))
