import { Effect } from "effect"
import type { ActionFailed } from "../../runtime/Engine.ts"
import { clientOf } from "./Backend.ts"
import { read, refuse } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"

/**
 * Fails when the connection is down, where a request would wait until it is back. In the status `wait` the first
 * request opens the connection.
 */
export const failWhenDisconnected = <A>(
  context: EngineContext,
  question: Effect.Effect<A, ActionFailed>
): Effect.Effect<A, ActionFailed> => {
  const checkConnections = Effect.suspend(() =>
    Effect.forEach(
      [...context.queues.values()],
      (queue) =>
        Effect.flatMap(read(() => clientOf(queue)), ({ status }) =>
          status === "ready" || status === "wait" ? Effect.void : refuse(`the connection to Redis is ${status}`)),
      {
        discard: true
      }
    )
  )
  return Effect.raceFirst(question, Effect.forever(Effect.zipRight(checkConnections, Effect.sleep("100 millis"))))
}
