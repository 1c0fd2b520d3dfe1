import { Effect, Queue, type Scope, Stream } from "effect"
import { Loops } from "./concurrency/Loops.ts"
import { type Channel, Hints } from "./sql/Database.ts"

/**
 * Routes the hints of a channel by their payload. One subscription serves all routes, so a hint costs the same with a
 * thousand routes as with one. The loop `name` reads the channel.
 */
export const makeHintRoutes = Effect.fnUntraced(function*(name: string, channel: Channel) {
  const hints = yield* Hints
  const loops = yield* Loops
  const routes = new Map<string, Set<Queue.Enqueue<void>>>()

  yield* loops.forever(
    name,
    Stream.runForEach(hints.subscribe(channel), (payload) =>
      Effect.sync(() => {
        for (const queue of routes.get(payload) ?? []) queue.unsafeOffer(undefined)
      }))
  )

  /** A queue that holds one element when a hint with one of `payloads` arrived since the last take. */
  return (payloads: ReadonlyArray<string>): Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.tap(Queue.sliding<void>(1), (queue) =>
        Effect.sync(() => {
          for (const payload of payloads) {
            const queues = routes.get(payload) ?? new Set<Queue.Enqueue<void>>()
            routes.set(payload, queues.add(queue))
          }
        })),
      (queue) =>
        Effect.sync(() => {
          for (const payload of payloads) {
            const queues = routes.get(payload)
            queues?.delete(queue)
            if (queues?.size === 0) routes.delete(payload)
          }
        })
    )
})
