import { Effect, Either, Redacted } from "effect"
import { readEnvironment } from "../../layers/Settings.ts"
import { secret, type Setting, text } from "../../services/kernel/Settings/Kinds.ts"
import { Environment } from "./Environment.ts"
import { CliError } from "./Explain.ts"

/**
 * The settings of the commands over a running brain's API. Declared apart from the brain's own settings: they may differ from
 * shell to shell, and are never in the brain's tunables file. `docs/settings.md` lists them too.
 */
export const clientDeclared = {
  url: text(
    "SVC_URL",
    { default: "http://127.0.0.1:7700" },
    "Address of the brain that the commands use; comes before that of svc login.",
    { tunable: false }
  ),
  apiKey: secret("SVC_API_KEY", "API key that the commands use; comes before that of svc login."),
  project: text("SVC_PROJECT", { default: "default" }, "Slug of the project where --project is not given.", {
    tunable: false
  })
} as const

export interface ClientSettings {
  /** Without a trailing slash; null when it is not set. */
  readonly url: string | null
  readonly apiKey: { readonly value: Redacted.Redacted; readonly from: string } | null
  readonly project: string
}

const readSetting = <A>(setting: Setting<A>) =>
  Effect.gen(function*() {
    const source = yield* readEnvironment(yield* Environment, setting)
    if (source === null) return null
    const value = setting.parse(source.text)
    return Either.isRight(value)
      ? { value: value.right, from: source.source === "file" ? `the file of ${setting.name}_FILE` : setting.name }
      : yield* Effect.fail(`${setting.name} ${value.left}`)
  }).pipe(Effect.mapError((message) => new CliError({ message })))

/** The base address of requests: http or https, without credentials, query, fragment and trailing slash. */
export const parseBrainUrl = (name: string, address: string): Effect.Effect<string, CliError> => {
  const url = URL.canParse(address) ? new URL(address) : null
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" &&
    url.search === "" &&
    url.hash === ""
  return isPlain
    ? Effect.succeed(url.href.replace(/\/+$/, "").replace(/\/api\/v1$/, ""))
    : Effect.fail(new CliError({ message: `${name} must be the brain's address, such as https://svc.example.com` }))
}

/** A key that can be sent in a header; `from` is its source. The message does not quote it. */
export const checkApiKey = (apiKey: Redacted.Redacted, from: string): Effect.Effect<Redacted.Redacted, CliError> =>
  /^[\x21-\x7e]+$/.test(Redacted.value(apiKey))
    ? Effect.succeed(apiKey)
    : Effect.fail(
      new CliError({
        message: `${from} has no valid API key: it is empty, or contains a blank or another character that no key has`
      })
    )

export const clientSettings = Effect.gen(function*() {
  const url = yield* readSetting(clientDeclared.url)
  const key = yield* readSetting(clientDeclared.apiKey)
  const project = yield* readSetting(clientDeclared.project)
  return {
    url: url === null ? null : yield* parseBrainUrl("SVC_URL", url.value),
    apiKey: key === null || key.value === null
      ? null
      : { value: yield* checkApiKey(key.value, key.from), from: key.from },
    project: project?.value ?? clientDeclared.project.default
  } satisfies ClientSettings
})

/** Names and addresses of this machine. */
export const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/

/** Whether requests to this address cross a network in plain text. */
export const isRemotePlainHttp = (url: string): boolean =>
  URL.canParse(url) && new URL(url).protocol === "http:" && !loopback.test(new URL(url).hostname)
