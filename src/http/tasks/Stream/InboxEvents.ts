import { Effect, Option, Queue, Stream } from "effect"
import { hasScope, type Person } from "../../../domain/kernel/Actor.ts"
import { CurrentActor } from "../../../services/kernel/CurrentActor.ts"
import { makeHintRoutes } from "../../../services/kernel/HintRoutes.ts"
import { Inbox } from "../../../services/kernel/Inbox.ts"

/** Changes of an inbox within this time are one event. */
const interval = "1 second"

/** The inbox is also counted this often, because a hint may be lost. */
const pollInterval = "30 seconds"

const render = (unread: number) => new TextEncoder().encode(`event: inbox\ndata: ${JSON.stringify({ unread })}\n\n`)

/** Events for live streams whose reader may read the inbox: the number of unread notifications, after each change. */
export const makeInboxEvents = Effect.gen(function*() {
  const inbox = yield* Inbox
  const subscribeHints = yield* makeHintRoutes("live inbox", "inbox")

  /** Null if the database does not respond: the stream continues with its tasks. */
  const countUnread = (person: Person) =>
    inbox.countUnread().pipe(
      Effect.map(({ unread }) => unread),
      Effect.catchAllCause((cause) => Effect.as(Effect.logWarning("An inbox cannot be counted.", cause), null)),
      Effect.provideService(CurrentActor, person)
    )

  const countsAfterChanges = Effect.fnUntraced(function*(person: Person) {
    const changes = yield* subscribeHints([person.user_id])
    let lastUnread = yield* countUnread(person)
    const next = Effect.gen(function*() {
      const change = yield* Effect.timeoutOption(Queue.take(changes), pollInterval)
      const unread = yield* countUnread(person)
      if (unread === null || (Option.isNone(change) && unread === lastUnread)) return []
      lastUnread = unread
      return [render(unread)]
    })
    return Stream.mapConcat(
      Stream.concat(Stream.fromEffect(next), Stream.repeatEffect(Effect.delay(next, interval))),
      (events) => events
    )
  })

  return (person: Person): Stream.Stream<Uint8Array> =>
    hasScope(person.via, "notifications:read") ? Stream.unwrapScoped(countsAfterChanges(person)) : Stream.never
})
