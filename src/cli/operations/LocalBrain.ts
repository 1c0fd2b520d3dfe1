import { DateTime, Effect, type Option, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Readiness } from "../../domain/kernel/Readiness.ts"
import { client } from "../../http/Client.ts"
import { Settings } from "../../services/kernel/Settings.ts"
import { withTimeout } from "../remote/Remote.ts"

/** Addresses that listen on every interface; a program of this machine uses the loopback address instead. */
const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"])

/** Host and port as in a URL. */
export const addressOf = (host: string, port: number): string =>
  `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`

/** The address of the brain with these settings on this machine. */
export const localUrl = Effect.map(
  Settings,
  ({ host, port }) => `http://${addressOf(wildcards.has(host) ? "127.0.0.1" : host, port)}`
)

interface BrainProbe {
  readonly url: string
  /** None where no brain responds. */
  readonly readiness: Option.Option<Readiness>
}

/** Reads the readiness of the brain with these settings on this machine. */
export const probeBrain = Effect.gen(function*() {
  const url = yield* localUrl
  const api = yield* client({ baseUrl: url, transform: withTimeout })
  const readiness = yield* api.health.ready({}).pipe(Effect.timeout("3 seconds"), Effect.option)
  return { url, readiness } satisfies BrainProbe
})

/** The text of `/metrics`; null where the brain refuses the token of this machine. */
export const readMetricsText = (url: string) =>
  Effect.gen(function*() {
    const { home, metricsAuthToken } = yield* Settings
    const token = metricsAuthToken === null
      ? (yield* Effect.tryPromise(() => readFile(join(home, "metrics.token"), "utf8"))).trim()
      : Redacted.value(metricsAuthToken)
    return yield* Effect.tryPromise(async () => {
      const response = await fetch(`${url}/metrics`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(10_000)
      })
      return response.ok ? await response.text() : null
    })
  })

/** Version and start of the brain's process, from its metrics; null where this user may not read them. */
export const readProcess = (url: string) =>
  readMetricsText(url).pipe(
    Effect.orElseSucceed(() => null),
    Effect.map((text) => {
      const version = /^svc_build_info\{version="([^"]+)"\} 1$/m.exec(text ?? "")?.[1] ?? null
      const seconds = /^process_start_time_seconds (\d+)/m.exec(text ?? "")?.[1]
      const since = seconds === undefined ? null : DateTime.formatIso(DateTime.unsafeMake(Number(seconds) * 1000))
      return { version, since }
    })
  )
