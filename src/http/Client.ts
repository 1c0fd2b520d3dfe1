import { FetchHttpClient, type HttpApi, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, FiberRef, identity, Record, Redacted } from "effect"
import { Api } from "./Api.ts"

export { Api }

type ClientOf<A> = A extends HttpApi.HttpApi<infer _Id, infer Groups, infer E, infer _R>
  ? HttpApiClient.Client<Groups, E, never>
  : never

/** The parts of the definition that name each call. */
type Names = Readonly<
  Record<
    string,
    {
      readonly identifier: string
      readonly endpoints: Readonly<Record<string, { readonly name: string; readonly path: string }>>
    }
  >
>

type Call = (request: never) => Effect.Effect<unknown, unknown>

/** The path's parameters of the call that this fiber makes. */
const pathParams = FiberRef.unsafeMake<Readonly<Record<string, unknown>>>({})

/**
 * HttpApiClient puts the parameters into the path as they are, so that the task `user/234` would be another path. Here each
 * is percent-encoded (RFC 3986, 2.1). `::` is the colon of a custom method.
 */
const encodedPath = (template: string, params: Readonly<Record<string, unknown>>): string =>
  template.replace(/(?<!:):(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name]))).replaceAll("::", ":")

const encodePath = (template: string) =>
  HttpClient.mapRequestInputEffect((request) =>
    Effect.map(FiberRef.get(pathParams), (params) => HttpClientRequest.setUrl(request, encodedPath(template, params)))
  )

const withPathParams =
  (call: Call): Call => (request: { readonly path?: Readonly<Record<string, unknown>> } | undefined) =>
    // the cast back: each call has a type of its own for its request
    Effect.locally(call(request as never), pathParams, request?.path ?? {})

/** Derives a call when it is first made: to derive all of them takes 150 ms of processor time, one takes under 1 ms. */
const deriveOnce = (derive: Effect.Effect<Call>): Call => {
  let derived: Call | undefined
  return (request) =>
    derived?.(request) ?? Effect.flatMap(derive, (call) => {
      derived = call
      return call(request)
    })
}

/**
 * The client derived from the definition: a method for each endpoint, its responses and failures typed.
 * `baseUrl` is the brain's public address without `/api/v1`. `apiKey` is an API key (`svk_…`); without it the
 * platform's own credentials go along, which in a browser are its cookies. `transform` has the last word on each request
 * and its response.
 */
export const client = (options: {
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted
  readonly transform?: (client: HttpClient.HttpClient) => HttpClient.HttpClient
}): Effect.Effect<ClientOf<typeof Api>> => {
  const { apiKey, baseUrl, transform = identity } = options
  const withKey = HttpClient.mapRequest((request: HttpClientRequest.HttpClientRequest) =>
    apiKey === undefined ? request : HttpClientRequest.bearerToken(request, Redacted.value(apiKey))
  )
  return Effect.map(HttpClient.HttpClient, (fetching) => {
    const httpClient = transform(withKey(fetching))
    const names: Names = Api.groups
    const calls = Record.map(names, (group) =>
      Record.map(group.endpoints, (endpoint) =>
        // the casts: names in a loop are no literals, which the types of the derived calls are found by
        withPathParams(deriveOnce(HttpApiClient.endpoint(Api, {
          group: group.identifier as never,
          endpoint: endpoint.name as never,
          httpClient: encodePath(endpoint.path)(httpClient),
          baseUrl
        }) as Effect.Effect<Call>))))
    return calls as unknown as ClientOf<typeof Api>
  }).pipe(Effect.provide(FetchHttpClient.layer))
}
