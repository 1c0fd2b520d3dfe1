import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, identity, Redacted } from "effect"
import { Api } from "./Api.ts"

export { Api }

/**
 * The client derived from the definition: a method for each endpoint, its responses and failures typed.
 * `baseUrl` is the brain's public address without `/api/v1`. `apiKey` is an API key (`svk_…`); without it the
 * platform's own credentials go along, which in a browser are its cookies. `transform` has the last word on each request
 * and its answer.
 */
export const client = (options: {
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted
  readonly transform?: (client: HttpClient.HttpClient) => HttpClient.HttpClient
}) => {
  const { apiKey, baseUrl, transform = identity } = options
  const withKey = HttpClient.mapRequest((request: HttpClientRequest.HttpClientRequest) =>
    apiKey === undefined ? request : HttpClientRequest.bearerToken(request, Redacted.value(apiKey))
  )
  return HttpApiClient.make(Api, { baseUrl, transformClient: (client) => transform(withKey(client)) }).pipe(
    Effect.provide(FetchHttpClient.layer)
  )
}
