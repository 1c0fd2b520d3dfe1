import { Effect, Option, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { client } from "../../http/Client.ts"
import { Settings } from "../../services/Settings.ts"
import { clientSettings } from "../ClientSettings.ts"
import { readLogin } from "../Login.ts"
import { withTimeout } from "../Remote.ts"
import { selectMetrics } from "./LogLines.ts"
import type { Redact } from "./Redact.ts"

const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"])

/** The address of the brain with these settings on this machine. */
const localUrl = Effect.map(Settings, ({ host, port }) => {
  const name = wildcards.has(host) ? "127.0.0.1" : host
  return `http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}:${port}`
})

const readMetricsText = (url: string) =>
  Effect.gen(function*() {
    const { home, metricsAuthToken } = yield* Settings
    const token = metricsAuthToken === null
      ? (yield* Effect.tryPromise(() => readFile(join(home, "metrics.token"), "utf8"))).trim()
      : Redacted.value(metricsAuthToken)
    return yield* Effect.tryPromise(async () => {
      const answer = await fetch(`${url}/metrics`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(10_000)
      })
      return answer.ok ? selectMetrics(await answer.text()) : null
    })
  })

/** The key of SVC_API_KEY, else of `svc login`. */
const findApiKey = Effect.gen(function*() {
  const { apiKey } = yield* clientSettings
  if (apiKey !== null) return Option.some(apiKey.value)
  return Option.map(yield* readLogin, (login) => login.api_key)
})

/** `/health/deep`, which needs an API key. Its details are sentences. */
const readDeepHealth = (url: string, redact: Redact) =>
  Effect.gen(function*() {
    const apiKey = yield* findApiKey
    if (Option.isNone(apiKey)) return "not read: set SVC_API_KEY, or run svc login"
    const api = yield* client({ baseUrl: url, apiKey: apiKey.value, transform: withTimeout })
    const { checks, status } = yield* api.system.deep({})
    return {
      status,
      checks: Object.fromEntries(
        Object.entries(checks).map(([name, check]) => [
          name,
          { ...check, detail: check.detail === null ? null : redact(check.detail) }
        ])
      )
    }
  })

/** Readiness, deep health and metrics of the brain on this machine; its readiness is null when it does not answer. */
export const readBrain = (redact: Redact) =>
  Effect.gen(function*() {
    const url = yield* localUrl
    const api = yield* client({ baseUrl: url, transform: withTimeout })
    const readiness = yield* api.health.ready({}).pipe(Effect.timeout("3 seconds"), Effect.option)
    if (Option.isNone(readiness)) {
      return { health: { readiness: null, deep: "not read: no brain answers" }, metrics: null }
    }
    const deep = yield* readDeepHealth(url, redact).pipe(
      Effect.catchAll((error) => Effect.succeed(`not read: ${redact(String(error))}`))
    )
    const metrics = yield* readMetricsText(url).pipe(Effect.orElseSucceed(() => null))
    return { health: { readiness: readiness.value, deep }, metrics }
  })
