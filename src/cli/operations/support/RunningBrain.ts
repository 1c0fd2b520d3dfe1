import { Effect, Option } from "effect"
import { client } from "../../../http/Client.ts"
import { clientSettings } from "../../program/ClientSettings.ts"
import { readLogin } from "../../remote/Login.ts"
import { withTimeout } from "../../remote/Remote.ts"
import { probeBrain, readMetricsText } from "../LocalBrain.ts"
import { selectMetrics } from "./LogLines.ts"
import type { Redact } from "./Redact.ts"

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

/** Readiness, deep health and metrics of the brain on this machine; its readiness is null when it does not respond. */
export const readBrain = (redact: Redact) =>
  Effect.gen(function*() {
    const { readiness, url } = yield* probeBrain
    if (Option.isNone(readiness)) {
      return { health: { readiness: null, deep: "not read: no brain answers" }, metrics: null }
    }
    const deep = yield* readDeepHealth(url, redact).pipe(
      Effect.catchAll((error) => Effect.succeed(`not read: ${redact(String(error))}`))
    )
    const metrics = yield* readMetricsText(url).pipe(
      Effect.map((text) => (text === null ? null : selectMetrics(text))),
      Effect.orElseSucceed(() => null)
    )
    return { health: { readiness: readiness.value, deep }, metrics }
  })
