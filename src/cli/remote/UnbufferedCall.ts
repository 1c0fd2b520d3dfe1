import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Effect, identity, Option, Ref } from "effect"
import { client } from "../../http/Client.ts"
import { type Remote, withTimeout } from "./Remote.ts"

type Api = Effect.Effect.Success<ReturnType<typeof client>>

/**
 * The response to a call with its body unread; none where the call succeeded with another status than 200. The derived client
 * knows the address and decodes refusals, but would read a stream or a file to its end. So it decodes `standIn` instead of the
 * body.
 */
export const callUnbuffered = <A, E>(
  { access: { apiKey, url } }: Remote,
  standIn: () => Response,
  call: (api: Api) => Effect.Effect<A, E>,
  transform: (self: HttpClient.HttpClient) => HttpClient.HttpClient = identity
) =>
  Effect.gen(function*() {
    const captured = yield* Ref.make(Option.none<HttpClientResponse.HttpClientResponse>())
    const captureResponse = HttpClient.transformResponse(
      Effect.flatMap((response: HttpClientResponse.HttpClientResponse) =>
        response.status === 200
          ? Effect.as(Ref.set(captured, Option.some(response)), HttpClientResponse.fromWeb(response.request, standIn()))
          : Effect.succeed(response)
      )
    )
    const api = yield* client({
      baseUrl: url,
      apiKey,
      transform: (self) => captureResponse(transform(withTimeout(self)))
    })
    yield* call(api)
    return yield* Ref.get(captured)
  })
