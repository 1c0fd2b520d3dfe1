import { Prompt } from "@effect/cli"
import { Cookies, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, Redacted, Ref } from "effect"
import type { CreateApiKey, CreatedApiKey } from "../../domain/identity/ApiKey.ts"
import { VerifyMfa } from "../../domain/identity/Mfa.ts"
import { client } from "../../http/Client.ts"
import { isInteractive } from "../io/Confirm.ts"
import { decodeInput } from "../io/DecodeInput.ts"
import { readPassword, readSecrets } from "../io/Passwords.ts"
import { CliError } from "../program/Explain.ts"
import { type ApiError, type Remote, toRefused, withTimeout } from "../remote/Remote.ts"

/** The account, the brain, and whether the secrets come on standard input instead of at a prompt. */
export interface SignIn {
  readonly url: string
  readonly email: string
  readonly passwordStdin: boolean
  readonly codeStdin: boolean
}

/** Stores cookies between requests and sends the CSRF header, as a browser does. */
const makeBrowserTransform = Effect.map(
  Ref.make(Cookies.empty),
  (jar) => (self: HttpClient.HttpClient) =>
    withTimeout(self).pipe(
      HttpClient.withCookiesRef(jar),
      HttpClient.mapRequestEffect((request) =>
        Effect.map(Ref.get(jar), ({ cookies }) => {
          const csrf = cookies["__Host-svc_csrf"] ?? cookies["svc_csrf"]
          return csrf === undefined ? request : HttpClientRequest.setHeader(request, "x-csrf-token", csrf.value)
        })
      )
    )
)

const codeMissing = Effect.suspend(() =>
  new CliError({
    message:
      "the account has a second factor, and there is no terminal to ask for its code: give the code, or a recovery code, " +
      "on the line after the password, with --code-stdin"
  })
)

const enrollmentMissing = (deadline: string | null) =>
  new CliError({
    message: `the account must have a second factor${
      deadline === null ? "" : ` since ${deadline}`
    }: enrol one over the API (docs/mfa.md shows how), then sign in again`
  })

/** During sign-in, 401 is about the password or the code, not about an API key. */
const toSignInRefused = (url: string) => (error: ApiError) =>
  error._tag === "Unauthenticated" || (error._tag === "Forbidden" && ["mfa_locked", "wrong_code"].includes(error.code))
    ? new CliError({ message: error.detail })
    : toRefused({ url, from: "the sign-in" })(error)

const askPerson = <A>(prompt: Prompt.Prompt<A>) =>
  Effect.mapError(Prompt.run(prompt), () => new CliError({ message: "nothing was done" }))

/** The password, and with `--code-stdin` the code. */
const readCredentials = ({ codeStdin, email, passwordStdin }: SignIn) =>
  Effect.gen(function*() {
    if (codeStdin && passwordStdin) {
      const [password = Redacted.make(""), code] = yield* readSecrets(["password", "code"])
      return { password, code }
    }
    if (passwordStdin || !(yield* isInteractive)) {
      return { password: yield* readPassword(passwordStdin), code: undefined }
    }
    return { password: yield* askPerson(Prompt.hidden({ message: `Password of ${email}` })), code: undefined }
  })

const askCode = Effect.gen(function*() {
  if (!(yield* isInteractive)) return yield* codeMissing
  return Redacted.make(yield* askPerson(Prompt.text({ message: "Code of your authenticator app, or a recovery code" })))
})

/** Signs in, creates an API key, runs `use` with it in the same session, and signs out. */
export const createApiKey = <A, E, R>(
  signIn: SignIn,
  keyFor: (api: Remote["api"]) => Effect.Effect<CreateApiKey, ApiError | CliError>,
  use: (created: CreatedApiKey, api: Remote["api"]) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const { email, url } = signIn
    const { code: codeFromStdin, password } = yield* readCredentials(signIn)
    const api = yield* client({ baseUrl: url, transform: yield* makeBrowserTransform })
    const payload = { email, password, remember_me: false }
    const { mfa_enrollment_deadline, mfa_required } = yield* Effect.mapError(
      api.login.login({ payload }),
      toSignInRefused(url)
    )
    return yield* Effect.gen(function*() {
      if (mfa_required) {
        const code = yield* decodeInput(VerifyMfa, { code: Redacted.value(codeFromStdin ?? (yield* askCode)).trim() })
        yield* Effect.mapError(api.mfa.verify({ payload: code }), toSignInRefused(url))
      }
      const key = yield* Effect.mapError(keyFor(api), toRefused({ url, from: "the sign-in" }))
      const created = yield* api.api_keys.create({ payload: key }).pipe(Effect.mapError((error) =>
        error._tag === "Forbidden" && error.code === "mfa_enrollment_required"
          ? enrollmentMissing(mfa_enrollment_deadline)
          : toSignInRefused(url)(error)
      ))
      return yield* use(created, api)
    }).pipe(Effect.ensuring(Effect.ignore(api.auth.logout({}))))
  })

export const codeStdinMisused = new CliError({
  usage: true,
  message: "--code-stdin goes with --email and --password-stdin: the password is the first line, the code the second"
})
