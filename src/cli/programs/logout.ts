import { Console, Effect, Option } from "effect"
import { loginFile, readLogin, removeLogin } from "../Login.ts"
import { visible } from "../Visible.ts"

export const run = () =>
  Effect.gen(function*() {
    const login = yield* readLogin.pipe(Effect.orElseSucceed(Option.none)) // one that cannot be read goes too
    yield* removeLogin
    if (Option.isNone(login)) return yield* Console.log(`nothing is kept in ${yield* loginFile}`)
    const { key, url } = login.value
    // a key cannot end itself: only its signed-in owner can
    const rest = key === null
      ? "its API key works on"
      : `its API key "${visible(key.name)}" (${key.id}) works until it is revoked${key.expires_at === null ? "" : ` or it is ${key.expires_at}`}`
    yield* Console.log(`forgot the login at ${url}; ${rest}`)
  })
