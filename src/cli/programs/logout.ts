import { Console, Effect, Option } from "effect"
import { client } from "../../http/Client.ts"
import { type Login, loginFile, readLogin, removeLogin } from "../Login.ts"
import { withTimeout, toRefused } from "../Remote.ts"
import { escapeText } from "../TerminalText.ts"

/** What became of the key that `svc login` made. A key that was given with --api-key-stdin is its owner's to keep. */
const revokeKey = ({ api_key, key, url }: Login) =>
  Effect.gen(function*() {
    if (key === null) return "its API key was given, not created, by svc login, and stays valid"
    const label = `its API key "${escapeText(key.name)}" (${key.id})`
    const api = yield* client({ baseUrl: url, apiKey: api_key, transform: withTimeout })
    return yield* api.api_keys.revoke({ path: { key_id: key.id } }).pipe(
      Effect.as(`${label} is revoked`),
      Effect.catchTag("Unauthenticated", () => Effect.succeed(`${label} was no longer valid`)),
      Effect.mapError(toRefused({ url, from: "svc login" })),
      Effect.catchAll(({ message }) =>
        Effect.succeed(
          `${label} could not be revoked and is valid${key.expires_at === null ? "" : ` until ${key.expires_at}`}: ${message}. ` +
            "Its owner can revoke it: svc api-keys revoke, or DELETE /api/v1/api-keys/{key_id}"
        ))
    )
  })

export const run = () =>
  Effect.gen(function*() {
    const login = yield* readLogin.pipe(Effect.orElseSucceed(Option.none)) // an unreadable one is removed too
    const outcome = Option.isNone(login) ? null : yield* revokeKey(login.value)
    yield* removeLogin
    yield* Console.log(
      Option.isNone(login) ? `no login in ${yield* loginFile}` : `removed the login at ${login.value.url}; ${outcome}`
    )
  })
