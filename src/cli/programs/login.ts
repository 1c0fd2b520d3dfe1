import { Prompt } from "@effect/cli"
import { Cookies, HttpClient, HttpClientRequest } from "@effect/platform"
import { Console, Effect, Option, Redacted, Ref } from "effect"
import { hostname } from "node:os"
import type { Scope } from "../../domain/Access.ts"
import { CreateApiKey } from "../../domain/ApiKey.ts"
import { VerifyMfa } from "../../domain/Mfa.ts"
import { client } from "../../http/Client.ts"
import { accepted } from "../Accepted.ts"
import { addressOf, sendable } from "../ClientSettings.ts"
import { asksPeople } from "../Confirm.ts"
import { Refused } from "../Explain.ts"
import { readLogin, writeLogin } from "../Login.ts"
import { readPassword, readSecret, readSecrets } from "../Passwords.ts"
import { type ApiError, impatient, meantUrl, refusedBy } from "../Remote.ts"
import { visible } from "../Visible.ts"
import { isPlainHttpAbroad } from "../Warnings.ts"

interface Options {
  readonly url: Option.Option<string>
  readonly email: Option.Option<string>
  readonly passwordStdin: boolean
  readonly codeStdin: boolean
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

const codeMissing = Effect.suspend(() =>
  new Refused({
    message: "the account has a second factor, and nobody can be asked for a code of it here: give one, or a recovery code, " +
      "on the line after the password, with --code-stdin"
  }))

const mustEnrol = (deadline: string | null) =>
  new Refused({
    message: `the account must have a second factor${deadline === null ? "" : ` since ${deadline}`}: enrol one over the API (docs/mfa.md has the lines), and come back`
  })

/** Signing in, where "not accepted" is about the password or the code and not about a key. */
const signingIn = (url: string) => (error: ApiError) =>
  error._tag === "Unauthenticated" || (error._tag === "Forbidden" && ["mfa_locked", "wrong_code"].includes(error.code))
    ? new Refused({ message: error.detail })
    : refusedBy({ url, from: "the sign-in" })(error)

const asked = <A>(prompt: Prompt.Prompt<A>) =>
  Effect.mapError(Prompt.run(prompt), () => new Refused({ message: "nothing was done" }))

/** The password, and the code if it comes with it: from standard input, or from a person. */
const secretsOf = (email: string, { codeStdin, passwordStdin }: Options) =>
  Effect.gen(function*() {
    if (codeStdin && passwordStdin) {
      const [password = Redacted.make(""), code] = yield* readSecrets(["password", "code"])
      return { password, code }
    }
    if (passwordStdin || !(yield* asksPeople)) return { password: yield* readPassword(passwordStdin), code: undefined }
    return { password: yield* asked(Prompt.hidden({ message: `Password of ${email}` })), code: undefined }
  })

const askedCode = Effect.gen(function*() {
  if (!(yield* asksPeople)) return yield* codeMissing
  return Redacted.make(yield* asked(Prompt.text({ message: "Code of your authenticator app, or a recovery code" })))
})

/** Signs in, makes an API key, keeps it, and signs out again. */
const signIn = (url: string, email: string, options: Options) =>
  Effect.gen(function*() {
    const key = yield* accepted(CreateApiKey, {
      name: `svc login on ${hostname()}`.slice(0, 200).toWellFormed(),
      scopes,
      expires_in_days: options.expiresInDays
    })
    const { code: given, password } = yield* secretsOf(email, options)
    const before = yield* readLogin.pipe(Effect.orElseSucceed(Option.none)) // one that cannot be read is replaced
    const api = yield* client({ baseUrl: url, transform: yield* browser })
    const payload = { email, password, remember_me: false }
    const { mfa_enrollment_deadline, mfa_required } = yield* Effect.mapError(api.login.login({ payload }), signingIn(url))
    return yield* Effect.gen(function*() {
      if (mfa_required) {
        const code = yield* accepted(VerifyMfa, { code: Redacted.value(given ?? (yield* askedCode)).trim() })
        yield* Effect.mapError(api.mfa.verify({ payload: code }), signingIn(url))
      }
      const { expires_at, id, name, token } = yield* api.api_keys.create({ payload: key }).pipe(Effect.mapError((error) =>
        error._tag === "Forbidden" && error.code === "mfa_enrollment_required" ? mustEnrol(mfa_enrollment_deadline) : signingIn(url)(error)))
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

const codeAlone = new Refused({ usage: true, message: "--code-stdin goes with --email and --password-stdin: the password is the first line, the code the second" })

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
    if (options.codeStdin && (options.apiKeyStdin || !options.passwordStdin)) return yield* codeAlone
    if (isPlainHttpAbroad(url) && !options.allowInsecure) return yield* readable(url)
    const done = Option.isSome(options.email) ? yield* signIn(url, options.email.value, options) : yield* keepKey(url)
    yield* Console.log(`${done}; svc agents, tasks and commands now speak to ${url}`)
  })
