import { Prompt } from "@effect/cli"
import { Cookies, HttpClient, HttpClientRequest } from "@effect/platform"
import { Console, Effect, Option, Redacted, Ref } from "effect"
import { hostname } from "node:os"
import type { Scope } from "../../domain/Access.ts"
import { CreateApiKey } from "../../domain/ApiKey.ts"
import { client } from "../../http/Client.ts"
import { accepted } from "../Accepted.ts"
import { addressOf, sendable } from "../ClientSettings.ts"
import { asksPeople } from "../Confirm.ts"
import { Refused } from "../Explain.ts"
import { readLogin, writeLogin } from "../Login.ts"
import { readPassword, readSecret } from "../Passwords.ts"
import { type ApiError, impatient, meantUrl, refusedBy } from "../Remote.ts"
import { visible } from "../Visible.ts"
import { isPlainHttpAbroad } from "../Warnings.ts"

interface Options {
  readonly url: Option.Option<string>
  readonly email: Option.Option<string>
  readonly passwordStdin: boolean
  readonly apiKeyStdin: boolean
  readonly expiresInDays: number
  readonly allowInsecure: boolean
}

/** What agents, tasks and commands ask for, and no more. */
const scopes: ReadonlyArray<Scope> = ["agents:read", "agents:write", "commands:read", "commands:write", "queues:read", "tasks:read"]

/** Cookies kept between requests, and the CSRF cookie proven, as a browser does. */
const browser = Effect.map(Ref.make(Cookies.empty), (jar) => (self: HttpClient.HttpClient) =>
  impatient(self).pipe(
    HttpClient.withCookiesRef(jar),
    HttpClient.mapRequestEffect((request) =>
      Effect.map(Ref.get(jar), ({ cookies }) => {
        const csrf = cookies["__Host-svc_csrf"] ?? cookies["svc_csrf"]
        return csrf === undefined ? request : HttpClientRequest.setHeader(request, "x-csrf-token", csrf.value)
      }))
  ))

const secondFactor = (url: string) =>
  new Refused({
    message: `the account owes the brain at ${url} a second factor, which svc login cannot give: make an API key in a browser ` +
      "and hand it over with svc login --api-key-stdin"
  })

/** Signing in, where "not accepted" is about the password and not about a key. */
const signingIn = (url: string) => (error: ApiError) =>
  error._tag === "Unauthenticated"
    ? error.code === "mfa_required" ? secondFactor(url) : new Refused({ message: error.detail })
    : refusedBy({ url, from: "the sign-in" })(error)

const passwordOf = (email: string, passwordStdin: boolean) =>
  Effect.gen(function*() {
    if (passwordStdin || !(yield* asksPeople)) return yield* readPassword(passwordStdin)
    return yield* Prompt.run(Prompt.hidden({ message: `Password of ${email}` })).pipe(
      Effect.mapError(() => new Refused({ message: "nothing was done" }))
    )
  })

/** Signs in, makes an API key, keeps it, and signs out again. */
const signIn = (url: string, email: string, { expiresInDays, passwordStdin }: Options) =>
  Effect.gen(function*() {
    const key = yield* accepted(CreateApiKey, {
      name: `svc login on ${hostname()}`.slice(0, 200).toWellFormed(),
      scopes,
      expires_in_days: expiresInDays
    })
    const password = yield* passwordOf(email, passwordStdin)
    const before = yield* readLogin.pipe(Effect.orElseSucceed(Option.none)) // one that cannot be read is replaced
    const api = yield* client({ baseUrl: url, transform: yield* browser })
    const payload = { email, password, remember_me: false }
    const { mfa_required } = yield* Effect.mapError(api.login.login({ payload }), signingIn(url))
    return yield* Effect.gen(function*() {
      if (mfa_required) return yield* secondFactor(url)
      const { expires_at, id, name, token } = yield* Effect.mapError(api.api_keys.create({ payload: key }), signingIn(url))
      yield* writeLogin({ url, api_key: Redacted.make(token), key: { id, name, expires_at } }).pipe(
        Effect.onError(() => Effect.ignore(api.api_keys.revoke({ path: { key_id: id } })))
      )
      const former = Option.isSome(before) && before.value.url === url ? before.value.key : null
      if (former !== null) {
        yield* Effect.catchAll(api.api_keys.revoke({ path: { key_id: former.id } }), () =>
          Console.error(`the key "${visible(former.name)}" (${former.id}) of the login before could not be ended; its owner can revoke it`))
      }
      return `made the API key "${visible(name)}" of ${visible(email)}${expires_at === null ? "" : `, good until ${expires_at}`}`
    }).pipe(Effect.ensuring(Effect.ignore(api.auth.logout({}))))
  })

/** Keeps a key that there is, when the brain accepts it. */
const keepKey = (url: string) =>
  Effect.gen(function*() {
    const apiKey = yield* Effect.flatMap(readSecret("API key"), (key) => sendable(key, "standard input"))
    const api = yield* client({ baseUrl: url, apiKey, transform: impatient })
    yield* api.auth.me({}).pipe(
      Effect.catchTag("Forbidden", () => Effect.void), // a key that may do other things is a key
      Effect.mapError(refusedBy({ url, from: "standard input" }))
    )
    yield* writeLogin({ url, api_key: apiKey, key: null })
    return "the brain accepts the API key"
  })

const whichOne = new Refused({ usage: true, message: "say who signs in, with --email; or give an API key that there is, with --api-key-stdin" })

const readable = (url: string) =>
  new Refused({
    message: `${url} is plain http to another machine, where anyone on the way could read the password and the key: ` +
      "give the https address, or say --allow-insecure on a network that you trust"
  })

export const run = (options: Options) =>
  Effect.gen(function*() {
    const url = Option.isSome(options.url) ? yield* addressOf("--url", options.url.value) : yield* meantUrl
    if (options.apiKeyStdin === Option.isSome(options.email)) return yield* whichOne
    if (isPlainHttpAbroad(url) && !options.allowInsecure) return yield* readable(url)
    const done = Option.isSome(options.email) ? yield* signIn(url, options.email.value, options) : yield* keepKey(url)
    yield* Console.log(`${done}; svc agents, tasks and commands now speak to ${url}`)
  })
