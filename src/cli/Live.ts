import * as Sse from "@effect/experimental/Sse"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Console, Data, Effect, identity, Option, Random, Ref, Stream } from "effect"
import { Refused } from "./Explain.ts"
import { isPassing, type Remote } from "./Remote.ts"
import { unread } from "./Unread.ts"

/** The brain says something every 15 seconds; a connection that is silent for so long is dead. */
const silence = "45 seconds"

const leastPauseMillis = 500
const mostPauseMillis = 15_000

class WentSilent extends Data.TaggedError("WentSilent") {}

/** Opens the live stream after the event `place`. */
const open = (remote: Remote, place: string | null) =>
  Effect.gen(function*() {
    const after = HttpClient.mapRequest(place === null ? identity : HttpClientRequest.setHeader("last-event-id", place))
    const opened = yield* unread(remote, () => new Response(""), (api) => api.stream.stream({ path: { slug: remote.slug } }), after)
    const response = Option.filter(opened, ({ headers }) => (headers["content-type"] ?? "").startsWith("text/event-stream"))
    return yield* Effect.mapError(response, () => new Refused({ message: `what answers at ${remote.access.url} is no svc, or one of another version` }))
  })

const pauseAfter = (pauseMillis: number) =>
  Effect.flatMap(Random.nextRange(0.5, 1), (share) => Effect.sleep(pauseMillis * share))

/**
 * Tells every event of the project's live stream, for ever. A connection that ends is opened again where it ended,
 * more and more slowly while that fails; it fails when the first one does, or when the brain refuses.
 */
export const follow = (remote: Remote, tell: (event: Sse.Event) => Effect.Effect<void, Refused>) =>
  Effect.gen(function*() {
    const place = yield* Ref.make<string | null>(null)
    const read = (response: HttpClientResponse.HttpClientResponse) =>
      response.stream.pipe(
        Stream.timeoutFail(() => new WentSilent(), silence),
        Stream.decodeText(),
        Stream.pipeThroughChannel(Sse.makeChannel<HttpClientError.ResponseError | WentSilent, unknown>()),
        Stream.runForEach((event) => Effect.zipRight(tell(event), event.id === undefined ? Effect.void : Ref.set(place, event.id))),
        Effect.catchTags({ ResponseError: () => Effect.void, WentSilent: () => Effect.void }) // it ended, politely or not
      )
    yield* read(yield* open(remote, null))
    let pauseMillis = leastPauseMillis
    while (true) {
      const at = yield* Ref.get(place)
      if (pauseMillis === leastPauseMillis) {
        yield* Console.error(`the connection ended and is opened again${at === null ? "; changes until then are not shown" : ""}`)
      }
      yield* pauseAfter(pauseMillis)
      const response = yield* open(remote, at).pipe(
        Effect.asSome,
        Effect.catchIf((error) => error._tag !== "Refused" && isPassing(error), () => Effect.succeedNone)
      )
      pauseMillis = Option.isNone(response) ? Math.min(pauseMillis * 2, mostPauseMillis) : leastPauseMillis
      if (Option.isSome(response)) yield* read(response.value)
    }
  })
