import { Console, Effect, Option, Redacted } from "effect"
import { hostname } from "node:os"
import { CreateApiKey } from "../../../domain/identity/ApiKey.ts"
import type { Scope } from "../../../domain/kernel/Access.ts"
import { client } from "../../../http/Client.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { readSecret } from "../../io/Passwords.ts"
import { formatFields } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { checkApiKey, isRemotePlainHttp, parseBrainUrl } from "../../program/ClientSettings.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { call } from "../../remote/Handlers.ts"
import { type Login, loginFile, readLogin, removeLogin, writeLogin } from "../../remote/Login.ts"
import { printResponse, resolveUrl, toRefused, withTimeout } from "../../remote/Remote.ts"
import type { definitions } from "../login.ts"
import { codeStdinMisused, createApiKey } from "../SignIn.ts"

type LoginOptions = OptionsOf<typeof definitions.login>

/** The scopes that the commands over the API need, and no more. */
const scopes: ReadonlyArray<Scope> = [
  "agents:read",
  "agents:write",
  "auth:read",
  "auth:write",
  "automation:read",
  "automation:write",
  "commands:read",
  "commands:write",
  "deploys:read",
  "deploys:write",
  "home:read",
  "notifications:read",
  "notifications:write",
  "projects:read",
  "queues:read",
  "schedules:read",
  "schedules:write",
  "tasks:read",
  "workers:read"
]

/** Signs in, creates and stores an API key, and revokes the key of the previous login. */
const signIn = (url: string, email: string, options: LoginOptions) =>
  Effect.gen(function*() {
    const key = yield* decodeInput(CreateApiKey, {
      name: `svc login on ${hostname()}`.slice(0, 200).toWellFormed(),
      scopes,
      expires_in_days: options.expiresInDays
    })
    const previous = yield* readLogin.pipe(Effect.orElseSucceed(Option.none)) // an unreadable login is replaced
    return yield* createApiKey({ ...options, url, email }, () =>
      Effect.succeed(key), ({ expires_at, id, name, token }, api) =>
      Effect.gen(function*() {
        yield* writeLogin({ url, api_key: Redacted.make(token), key: { id, name, expires_at } }).pipe(
          Effect.onError(() =>
            Effect.ignore(api.api_keys.revoke({ path: { key_id: id } }))
          )
        )
        const previousKey = Option.isSome(previous) && previous.value.url === url ? previous.value.key : null
        if (previousKey !== null) {
          yield* Effect.catchAll(api.api_keys.revoke({ path: { key_id: previousKey.id } }), () =>
            Console.error(
              `the key "${
                escapeText(previousKey.name)
              }" (${previousKey.id}) of the previous login could not be revoked; its owner can revoke it with svc api-keys revoke`
            ))
        }
        return `created the API key "${escapeText(name)}" of ${escapeText(email)}${
          expires_at === null ? "" : `, valid until ${expires_at}`
        }`
      }))
  })

/** Stores an existing key, if the brain accepts it. */
const storeApiKey = (url: string) =>
  Effect.gen(function*() {
    const apiKey = yield* Effect.flatMap(readSecret("API key"), (key) => checkApiKey(key, "standard input"))
    const api = yield* client({ baseUrl: url, apiKey, transform: withTimeout })
    yield* api.auth.me({}).pipe(
      Effect.catchTag("Forbidden", () => Effect.void), // the key is valid, but lacks the scope of this request
      Effect.mapError(toRefused({ url, from: "standard input" }))
    )
    yield* writeLogin({ url, api_key: apiKey, key: null })
    return "the brain accepts the API key"
  })

const signInMissing = new CliError({
  usage: true,
  message: "give --email to sign in, or --api-key-stdin to use an existing API key"
})

const plainHttpRefused = (url: string) =>
  new CliError({
    message: `${url} is plain http to another machine, which exposes the password and the key on the network: ` +
      "give the https address, or add --allow-insecure on a network that you trust"
  })

const login = (options: LoginOptions) =>
  Effect.gen(function*() {
    const url = Option.isSome(options.url) ? yield* parseBrainUrl("--url", options.url.value) : yield* resolveUrl
    if (options.apiKeyStdin === Option.isSome(options.email)) return yield* signInMissing
    if (options.codeStdin && (options.apiKeyStdin || !options.passwordStdin)) return yield* codeStdinMisused
    if (isRemotePlainHttp(url) && !options.allowInsecure) return yield* plainHttpRefused(url)
    const outcome = Option.isSome(options.email)
      ? yield* signIn(url, options.email.value, options)
      : yield* storeApiKey(url)
    yield* Console.log(`${outcome}; svc now uses ${url}`)
  })

/** Revokes the key that `svc login` created, and says how that ended. A key given with --api-key-stdin is not revoked. */
const revokeKey = ({ api_key, key, url }: Login) =>
  Effect.gen(function*() {
    if (key === null) return "its API key was not created by svc login, and stays valid"
    const label = `its API key "${escapeText(key.name)}" (${key.id})`
    const api = yield* client({ baseUrl: url, apiKey: api_key, transform: withTimeout })
    return yield* api.api_keys.revoke({ path: { key_id: key.id } }).pipe(
      Effect.as(`${label} is revoked`),
      Effect.catchTag("Unauthenticated", () => Effect.succeed(`${label} was no longer valid`)),
      Effect.mapError(toRefused({ url, from: "svc login" })),
      Effect.catchAll(({ message }) =>
        Effect.succeed(
          `${label} could not be revoked and is valid${
            key.expires_at === null ? "" : ` until ${key.expires_at}`
          }: ${message}. ` +
            "Its owner can revoke it: svc api-keys revoke, or DELETE /api/v1/api-keys/{key_id}"
        )
      )
    )
  })

const logout = () =>
  Effect.gen(function*() {
    const login = yield* readLogin.pipe(Effect.orElseSucceed(Option.none)) // an unreadable login is removed too
    const outcome = Option.isNone(login) ? null : yield* revokeKey(login.value)
    yield* removeLogin
    yield* Console.log(
      Option.isNone(login) ? `no login in ${yield* loginFile}` : `removed the login at ${login.value.url}; ${outcome}`
    )
  })

const whoami = call(function*({ access, api }, { json }: OptionsOf<typeof definitions.whoami>) {
  const response = yield* api.auth.me({ withResponse: true })
  yield* printResponse(response, json, ({ display_name, email, is_admin, memberships }) =>
    formatFields([
      ["email", email],
      ["name", display_name],
      ["role", is_admin ? "global admin" : null],
      ...memberships.map(({ project_slug, role }) => ["project", `${project_slug} (${role})`] as const),
      ["brain", access.url],
      ["key from", access.from]
    ]))
})

export const handlers: HandlersOf<typeof definitions> = { login, logout, whoami }
