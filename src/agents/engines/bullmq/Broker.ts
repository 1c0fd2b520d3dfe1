/** Calls of BullMQ as effects: what fails is one sentence for the operator. */
import { Effect } from "effect"
import { ActionFailed } from "../../runtime/Engine.ts"
import { messageOf } from "../../runtime/ErrorInfo.ts"

const timeout = "10 seconds"

/** Nothing is changed by it, so nothing is left open when no answer comes. */
export const read = <A>(call: () => Promise<A>): Effect.Effect<A, ActionFailed> => callBroker(call, false)

/** After ten seconds without an answer it is not known whether it was done: the client does it when Redis is back. */
export const write = <A>(call: () => Promise<A>): Effect.Effect<A, ActionFailed> => callBroker(call, true)

const callBroker = <A>(call: () => Promise<A>, indeterminate: boolean) =>
  Effect.tryPromise({ try: call, catch: toActionFailed }).pipe(
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () => new ActionFailed({ message: "Redis did not answer within 10 seconds", indeterminate })
    })
  )

/** Closes what the agent opened, for a finalizer: with Redis away BullMQ would wait for it for ever. */
export const close = (opened: { readonly close: () => Promise<void> }): Effect.Effect<void> =>
  Effect.tryPromise(() => opened.close()).pipe(Effect.interruptible, Effect.timeout("1 second"), Effect.ignore)

const toActionFailed = (error: unknown) => new ActionFailed({ message: messageOf(error) })

export const refuse = (message: string): Effect.Effect<never, ActionFailed> =>
  Effect.fail(new ActionFailed({ message }))
