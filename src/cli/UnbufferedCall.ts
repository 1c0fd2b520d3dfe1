import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Effect, identity, Option, Ref } from "effect"
import { client } from "../http/Client.ts"
import { withTimeout, type Remote } from "./Remote.ts"

type Api = Effect.Effect.Success<ReturnType<typeof client>>

/**
 * The answer to a call, its body not yet read, or none where it was not 200 and the call took that for a success. The
 * derived client knows the address and how a refusal reads, but would read to the end of a stream or a file: it is given
 * `standIn` for the body.
 */
export const callUnbuffered = <A, E>(
  { access: { apiKey, url } }: Remote,
  standIn: () => Response,
  call: (api: Api) => Effect.Effect<A, E>,
  transform: (self: HttpClient.HttpClient) => HttpClient.HttpClient = identity
) =>
  Effect.gen(function*() {
    const captured = yield* Ref.make(Option.none<HttpClientResponse.HttpClientResponse>())
    const captureResponse = HttpClient.transformResponse(Effect.flatMap((response: HttpClientResponse.HttpClientResponse) =>
      response.status === 200
        ? Effect.as(Ref.set(captured, Option.some(response)), HttpClientResponse.fromWeb(response.request, standIn()))
        : Effect.succeed(response)
    ))
    const api = yield* client({ baseUrl: url, apiKey, transform: (self) => captureResponse(transform(withTimeout(self))) })
    yield* call(api)
    return yield* Ref.get(captured)
  })
