import * as Sse from "@effect/experimental/Sse"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Console, Data, Effect, identity, Option, Random, Ref, Stream } from "effect"
import { CliError } from "../program/Explain.ts"
import { isTransient, type Remote } from "../remote/Remote.ts"
import { callUnbuffered } from "../remote/UnbufferedCall.ts"

/** The brain sends at least a heartbeat every 15 seconds. A connection silent for this long is dead. */
const silenceTimeout = "45 seconds"

const minPauseMillis = 500
const maxPauseMillis = 15_000

class SilentConnection extends Data.TaggedError("SilentConnection") {}

/** Opens the live stream after the event `lastEventId`. */
const openStream = (remote: Remote, lastEventId: string | null) =>
  Effect.gen(function*() {
    const after = HttpClient.mapRequest(
      lastEventId === null ? identity : HttpClientRequest.setHeader("last-event-id", lastEventId)
    )
    const maybeResponse = yield* callUnbuffered(remote, () =>
      new Response(""), (api) =>
      api.stream.stream({ path: { slug: remote.slug } }), after)
    const response = Option.filter(maybeResponse, ({ headers }) =>
      (headers["content-type"] ?? "").startsWith("text/event-stream"))
    return yield* Effect.mapError(response, () =>
      new CliError({ message: `the server at ${remote.access.url} is not an svc brain, or one of another version` }))
  })

const pauseAfter = (pauseMillis: number) =>
  Effect.flatMap(Random.nextRange(0.5, 1), (share) => Effect.sleep(pauseMillis * share))

/**
 * Passes every event of the project's live stream to `onEvent`, forever. A connection that ends is opened again after its
 * last event, with back-off. Fails when the first connection fails, or when the brain refuses one.
 */
export const followStream = (remote: Remote, onEvent: (event: Sse.Event) => Effect.Effect<void, CliError>) =>
  Effect.gen(function*() {
    const lastEventId = yield* Ref.make<string | null>(null)
    const readStream = (response: HttpClientResponse.HttpClientResponse) =>
      response.stream.pipe(
        Stream.timeoutFail(() => new SilentConnection(), silenceTimeout),
        Stream.decodeText(),
        Stream.pipeThroughChannel(Sse.makeChannel<HttpClientError.ResponseError | SilentConnection, unknown>()),
        Stream.runForEach((event) =>
          Effect.zipRight(onEvent(event), event.id === undefined ? Effect.void : Ref.set(lastEventId, event.id))
        ),
        Effect.catchTags({ ResponseError: () => Effect.void, SilentConnection: () => Effect.void }) // closed by the server or broken
      )
    yield* readStream(yield* openStream(remote, null))
    let pauseMillis = minPauseMillis
    while (true) {
      const eventId = yield* Ref.get(lastEventId)
      if (pauseMillis === minPauseMillis) {
        yield* Console.error(
          `the connection ended; reconnecting${eventId === null ? " (changes until then are not shown)" : ""}`
        )
      }
      yield* pauseAfter(pauseMillis)
      const response = yield* openStream(remote, eventId).pipe(
        Effect.asSome,
        Effect.catchIf((error) => error._tag !== "CliError" && isTransient(error), () => Effect.succeedNone)
      )
      pauseMillis = Option.isNone(response) ? Math.min(pauseMillis * 2, maxPauseMillis) : minPauseMillis
      if (Option.isSome(response)) yield* readStream(response.value)
    }
  })
