import { Effect, Either, Redacted } from "effect"
import { readEnvironment } from "../layers/Settings.ts"
import { secret, type Setting, text } from "../services/Settings/Kinds.ts"
import { Environment } from "./Environment.ts"
import { Refused } from "./Explain.ts"

/**
 * The settings of the commands that speak to a running brain. Kept apart from the brain's own: they say which brain,
 * may differ from shell to shell, and never stand in the brain's tunables file. `docs/settings.md` has them too.
 */
export const clientDeclared = {
  url: text("SVC_URL", "http://127.0.0.1:7700", "Address of the brain to speak to; comes before that of svc login.", { tunable: false }),
  apiKey: secret("SVC_API_KEY", "API key to speak with; comes before that of svc login."),
  project: text("SVC_PROJECT", "default", "Project that is meant where --project is not given.", { tunable: false })
} as const

export interface ClientSettings {
  /** Without a slash at its end; null when the environment does not say. */
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
  }).pipe(Effect.mapError((message) => new Refused({ message })))

/** The address as requests are built on: http or https, no credentials, query or fragment, no slash at the end. */
export const parseBrainUrl = (name: string, address: string): Effect.Effect<string, Refused> => {
  const url = URL.canParse(address) ? new URL(address) : null
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.search === "" &&
    url.hash === ""
  return isPlain
    ? Effect.succeed(url.href.replace(/\/+$/, "").replace(/\/api\/v1$/, ""))
    : Effect.fail(new Refused({ message: `${name} must be the brain's address, such as https://svc.example.com` }))
}

/** A key that can be sent; `from` is where it was found. What is wrong with it is not quoted. */
export const checkApiKey = (apiKey: Redacted.Redacted, from: string): Effect.Effect<Redacted.Redacted, Refused> =>
  /^[\x21-\x7e]+$/.test(Redacted.value(apiKey))
    ? Effect.succeed(apiKey)
    : Effect.fail(new Refused({ message: `what ${from} has is no API key: it is empty, or has a blank or another character that no key has` }))

export const clientSettings = Effect.gen(function*() {
  const url = yield* readSetting(clientDeclared.url)
  const key = yield* readSetting(clientDeclared.apiKey)
  const project = yield* readSetting(clientDeclared.project)
  return {
    url: url === null ? null : yield* parseBrainUrl("SVC_URL", url.value),
    apiKey: key === null || key.value === null ? null : { value: yield* checkApiKey(key.value, key.from), from: key.from },
    project: project?.value ?? clientDeclared.project.fallback
  } satisfies ClientSettings
})
