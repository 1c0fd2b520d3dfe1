import { Console, Effect, Option } from "effect"
import { CreateApiKey } from "../../domain/ApiKey.ts"
import { decodeInput } from "../DecodeInput.ts"
import { Refused } from "../Explain.ts"
import { resolveUrl, type Remote, withRemote } from "../Remote.ts"
import { codeStdinMisused, createApiKey } from "../SignIn.ts"
import { escapeText } from "../TerminalText.ts"

const scopesMissing = new Refused({
  usage: true,
  message: "a key without a scope opens nothing: give --scope once for each, such as --scope tasks:read (GET /api/v1/api-keys/scopes lists them)"
})

/** The owner of the key that is used now; a person who is not logged in names the account. */
const currentEmail = withRemote(Option.none(), ({ api }) => Effect.map(api.auth.me({}), ({ email }) => email))

export const run = ({ codeStdin, email, expiresInDays, json, name, passwordStdin, project, scopes }: {
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  readonly project: Option.Option<string>
  readonly expiresInDays: number
  readonly email: Option.Option<string>
  readonly passwordStdin: boolean
  readonly codeStdin: boolean
  readonly json: boolean
}) =>
  Effect.gen(function*() {
    if (scopes.length === 0) return yield* scopesMissing
    if (codeStdin && !passwordStdin) return yield* codeStdinMisused
    const key = yield* decodeInput(CreateApiKey, { name, scopes, expires_in_days: expiresInDays })
    const bind = ({ project: projects }: Remote["api"]) =>
      Option.isNone(project)
        ? Effect.succeed(key)
        : Effect.map(projects.get({ path: { slug: project.value } }), ({ id }) => ({ ...key, project_id: id }))
    const signIn = { url: yield* resolveUrl, email: Option.isSome(email) ? email.value : yield* currentEmail, codeStdin, passwordStdin }
    yield* createApiKey(signIn, bind, (created) =>
      Console.log(
        json
          ? JSON.stringify(created)
          : `created the API key "${escapeText(created.name)}" (${created.id})${created.expires_at === null ? "" : `, valid until ${created.expires_at}`}. ` +
            `It is shown only now:\n${created.token}`
      ))
  })
