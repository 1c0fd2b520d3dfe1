import {
  type HttpApiError,
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "@effect/platform"
import { RequestError } from "@effect/platform/HttpClientError"
import { Clock, Console, Effect, Option, type ParseResult, type Redacted } from "effect"
import type { Failure } from "../../domain/kernel/Errors.ts"
import { client } from "../../http/Client.ts"
import type { View } from "../io/Table.ts"
import { escapeJson, escapeText } from "../io/TerminalText.ts"
import { clientDeclared, clientSettings } from "../program/ClientSettings.ts"
import { CliError, networkMeaning, type OutcomeUnknown } from "../program/Explain.ts"
import { loginFile, readLogin } from "./Login.ts"

/** Which brain, and by which key; `from` says where the key was found. */
export interface Access {
  readonly url: string
  readonly apiKey: Redacted.Redacted
  readonly from: string
}

/** The brain's address: from the environment, else from `svc login`, else this machine's. */
export const resolveUrl = Effect.gen(function*() {
  const { url } = yield* clientSettings
  if (url !== null) return url
  return Option.match(yield* readLogin, { onNone: () => clientDeclared.url.default, onSome: ({ url }) => url })
})

/** The API key and the address. The key of `svc login` is sent only to the brain that created it. */
export const resolveAccess = Effect.gen(function*() {
  const { apiKey } = yield* clientSettings
  const url = yield* resolveUrl
  if (apiKey !== null) return { url, apiKey: apiKey.value, from: apiKey.from } satisfies Access
  const login = yield* readLogin
  if (Option.isNone(login)) return yield* new CliError({ message: "no API key: run svc login, or set SVC_API_KEY" })
  if (login.value.url !== url) {
    return yield* new CliError({
      message:
        `SVC_URL is ${url}, but svc login has a key for ${login.value.url}: run svc login for this brain, or set SVC_API_KEY`
    })
  }
  return { url, apiKey: login.value.api_key, from: `svc login (${yield* loginFile})` } satisfies Access
})

/** The failures of a call of the derived client. */
export type ApiError =
  | Failure
  | HttpClientError.HttpClientError
  | HttpApiError.HttpApiDecodeError
  | ParseResult.ParseError

/** Whether a retry may help: the brain, a proxy or the network is restarting, or asks for a pause. */
export const isTransient = (error: ApiError): boolean =>
  error._tag === "RequestError" || error._tag === "Unavailable" || error._tag === "RateLimited" ||
  (error._tag === "ResponseError" && error.response.status >= 500)

/** A brain, and where the key for it was found. */
type KeyOrigin = Pick<Access, "from" | "url">

/** fetch fails with "fetch failed"; the reason is its cause. */
const reasonOf = ({ cause, description, message }: HttpClientError.RequestError): string =>
  cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : description ?? message

/** Why a request got no response. */
export const networkReasonOf = (error: HttpClientError.RequestError): string => networkMeaning(error) ?? reasonOf(error)

const describeApiError = ({ from, url }: KeyOrigin, error: ApiError): string => {
  switch (error._tag) {
    case "RequestError":
      return `the brain at ${url} cannot be reached: ${networkReasonOf(error)}`
    case "ResponseError":
      return error.response.status >= 400
        ? `the brain at ${url}, or a proxy before it, answered ${error.response.status}; see its log`
        : `the server at ${url} is not an svc brain, or one of another version`
    case "ParseError":
    case "HttpApiDecodeError":
      return `the server at ${url} is not an svc brain, or one of another version`
    case "Unauthenticated":
      return `the brain at ${url} does not accept the API key from ${from}: it is revoked, expired, or of another brain. ` +
        "Run svc login, or set SVC_API_KEY"
    case "Forbidden":
      return `${error.detail} The key is from ${from}`
    case "NotFound":
      return error.resource === "project"
        ? `no such project, or the key from ${from} has no access to it: name another with --project or SVC_PROJECT`
        : error.detail
    default:
      return error.detail
  }
}

/** Any failure of a call as one sentence: what happened, what it means, what to do. */
export const toRefused = (access: KeyOrigin) => (error: ApiError | CliError | OutcomeUnknown) =>
  error._tag === "CliError" || error._tag === "OutcomeUnknown"
    ? error
    : new CliError({ message: escapeText(describeApiError(access, error)) })

const requestTimeout = "60 seconds"

/** Fails a request that gets no response in time as if the brain could not be reached. */
export const withTimeout = (self: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(self, (response, request) =>
    Effect.timeoutFail(response, {
      duration: requestTimeout,
      onTimeout: () => new RequestError({ request, reason: "Transport", description: `no answer in ${requestTimeout}` })
    }))

export const connect = ({ apiKey, url }: Access) => client({ baseUrl: url, apiKey, transform: withTimeout })

/** The derived client with this JSON text as the body of its request: its own would change large numbers of arguments. */
export const clientSending = ({ access: { apiKey, url } }: Remote, text: string) => {
  const asWritten = HttpClient.mapRequest(HttpClientRequest.bodyText(text, "application/json"))
  return client({ baseUrl: url, apiKey, transform: (self) => asWritten(withTimeout(self)) })
}

export interface Remote {
  readonly access: Access
  /** The project's slug. */
  readonly slug: string
  readonly api: Effect.Effect.Success<ReturnType<typeof connect>>
}

/** Runs `use` with the brain and the project of the options and settings. */
export const withRemote = <A, R>(
  project: Option.Option<string>,
  use: (remote: Remote) => Effect.Effect<A, ApiError | CliError | OutcomeUnknown, R>
) =>
  Effect.gen(function*() {
    const settings = yield* clientSettings
    const found = yield* resolveAccess
    const slug = Option.getOrElse(project, () => settings.project)
    const api = yield* connect(found)
    return yield* Effect.mapError(use({ access: found, api, slug }), toRefused(found))
  })

/** A response of the derived client, and the bytes that it was read from. */
export type DecodedResponse<A> = readonly [A, Pick<HttpClientResponse.HttpClientResponse, "arrayBuffer" | "headers">]

/** A pipe takes lines of any length. */
const currentView = Effect.map(Clock.currentTimeMillis, (nowMillis): View => ({
  nowMillis,
  columns: process.stdout.isTTY ? process.stdout.columns : Infinity
}))

/** Prints a response: with `--json` the brain's own text, so that no number loses a digit; else what `shown` makes of it. */
export const printResponse = <A>(
  [value, response]: DecodedResponse<A>,
  json: boolean,
  shown: (value: A, text: string, view: View) => string
) =>
  Effect.flatMap(Effect.all([response.arrayBuffer, currentView]), ([bytes, view]) => {
    const text = new TextDecoder().decode(bytes)
    return Console.log(json ? escapeJson(text) : shown(value, text, view))
  })
