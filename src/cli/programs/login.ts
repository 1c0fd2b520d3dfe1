import { Console, Effect, Option, Redacted } from "effect"
import { hostname } from "node:os"
import type { Scope } from "../../domain/Access.ts"
import { CreateApiKey } from "../../domain/ApiKey.ts"
import { client } from "../../http/Client.ts"
import { decodeInput } from "../DecodeInput.ts"
import { parseBrainUrl, checkApiKey } from "../ClientSettings.ts"
import { Refused } from "../Explain.ts"
import { readLogin, writeLogin } from "../Login.ts"
import { readSecret } from "../Passwords.ts"
import { withTimeout, resolveUrl, toRefused } from "../Remote.ts"
import { codeStdinMisused, createApiKey } from "../SignIn.ts"
import { escapeText } from "../TerminalText.ts"
import { isRemotePlainHttp } from "../Warnings.ts"

interface Options {
  readonly url: Option.Option<string>
  readonly email: Option.Option<string>
  readonly passwordStdin: boolean
  readonly codeStdin: boolean
  readonly apiKeyStdin: boolean
  readonly expiresInDays: number
  readonly allowInsecure: boolean
}

/** What the commands that speak to a brain ask for, and no more. */
const scopes: ReadonlyArray<Scope> = [
  "agents:read",
  "agents:write",
  "auth:read",
  "auth:write",
  "commands:read",
  "commands:write",
  "queues:read",
  "tasks:read",
  "workers:read"
]

/** Signs in, creates an API key, keeps it, and revokes the key of the login before. */
const signIn = (url: string, email: string, options: Options) =>
  Effect.gen(function*() {
    const key = yield* decodeInput(CreateApiKey, {
      name: `svc login on ${hostname()}`.slice(0, 200).toWellFormed(),
      scopes,
      expires_in_days: options.expiresInDays
    })
    const previous = yield* readLogin.pipe(Effect.orElseSucceed(Option.none)) // an unreadable one is replaced
    return yield* createApiKey({ ...options, url, email }, () => Effect.succeed(key), ({ expires_at, id, name, token }, api) =>
      Effect.gen(function*() {
        yield* writeLogin({ url, api_key: Redacted.make(token), key: { id, name, expires_at } }).pipe(
          Effect.onError(() => Effect.ignore(api.api_keys.revoke({ path: { key_id: id } })))
        )
        const previousKey = Option.isSome(previous) && previous.value.url === url ? previous.value.key : null
        if (previousKey !== null) {
          yield* Effect.catchAll(api.api_keys.revoke({ path: { key_id: previousKey.id } }), () =>
            Console.error(`the key "${escapeText(previousKey.name)}" (${previousKey.id}) of the login before could not be revoked; its owner can do it`))
        }
        return `created the API key "${escapeText(name)}" of ${escapeText(email)}${expires_at === null ? "" : `, valid until ${expires_at}`}`
      }))
  })

/** Keeps a key that there is, when the brain accepts it. */
const storeApiKey = (url: string) =>
  Effect.gen(function*() {
    const apiKey = yield* Effect.flatMap(readSecret("API key"), (key) => checkApiKey(key, "standard input"))
    const api = yield* client({ baseUrl: url, apiKey, transform: withTimeout })
    yield* api.auth.me({}).pipe(
      Effect.catchTag("Forbidden", () => Effect.void), // a key that may do other things is a key
      Effect.mapError(toRefused({ url, from: "standard input" }))
    )
    yield* writeLogin({ url, api_key: apiKey, key: null })
    return "the brain accepts the API key"
  })

const signInMissing = new Refused({ usage: true, message: "say who signs in, with --email; or give an API key that there is, with --api-key-stdin" })

const plainHttpRefused = (url: string) =>
  new Refused({
    message: `${url} is plain http to another machine, where anyone on the way could read the password and the key: ` +
      "give the https address, or say --allow-insecure on a network that you trust"
  })

export const run = (options: Options) =>
  Effect.gen(function*() {
    const url = Option.isSome(options.url) ? yield* parseBrainUrl("--url", options.url.value) : yield* resolveUrl
    if (options.apiKeyStdin === Option.isSome(options.email)) return yield* signInMissing
    if (options.codeStdin && (options.apiKeyStdin || !options.passwordStdin)) return yield* codeStdinMisused
    if (isRemotePlainHttp(url) && !options.allowInsecure) return yield* plainHttpRefused(url)
    const outcome = Option.isSome(options.email) ? yield* signIn(url, options.email.value, options) : yield* storeApiKey(url)
    yield* Console.log(`${outcome}; svc now speaks to ${url}`)
  })
