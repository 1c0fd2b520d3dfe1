import { FileSystem } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { join } from "node:path"
import { ApiKeyId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { resolveHome } from "../../layers/Settings.ts"
import { replaceFile } from "../../services/kernel/ReplaceFile.ts"
import { Environment } from "../program/Environment.ts"
import { CliError } from "../program/Explain.ts"

/** The content of `login.json`. `key` identifies the API key that `svc login` created; null for a key given with --api-key-stdin. */
export const Login = Schema.Struct({
  url: Schema.String,
  api_key: Schema.Redacted(Schema.String),
  key: Schema.NullOr(Schema.Struct({ id: ApiKeyId, name: Schema.String, expires_at: Schema.NullOr(Timestamp) }))
})
export type Login = typeof Login.Type

const LoginText = Schema.parseJson(Login, { space: 2 })

/** The path of the file in SVC_HOME. Its mode is 0600. */
export const loginFile = Effect.map(Environment, (environment) => join(resolveHome(environment), "login.json"))

/** The stored login, if any. */
export const readLogin = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const file = yield* loginFile
  const text = yield* fs.readFileString(file).pipe(
    Effect.asSome,
    Effect.catchIf((error) => error._tag === "SystemError" && error.reason === "NotFound", () => Effect.succeedNone)
  )
  if (Option.isNone(text)) return Option.none<Login>()
  return yield* Schema.decode(LoginText)(text.value).pipe(
    Effect.asSome,
    // the cause would quote the key
    Effect.mapError(() => new CliError({ message: `${file} is not what svc login writes; run svc login again` }))
  )
})

/** The key is never in a file that others may read, and never incomplete. */
export const writeLogin = (login: Login) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const file = yield* loginFile
    const text = yield* Effect.orDie(Schema.encode(LoginText)(login))
    yield* fs.makeDirectory(join(file, ".."), { recursive: true, mode: 0o700 })
    yield* replaceFile({ path: file, text: `${text}\n` })
    return file
  })

export const removeLogin = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(yield* loginFile, { force: true })
})
