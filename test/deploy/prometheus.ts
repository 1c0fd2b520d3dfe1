import { Effect, type Scope } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { debianProgram } from "../debianProgram.ts"
import { startProgram } from "../e2e/childProgram.ts"
import { freePort } from "../ports.ts"
import { until } from "../until.ts"

export interface Sample {
  readonly metric: Readonly<Record<string, string>>
}

export interface Prometheus {
  /** The series of an instant query; dies with Prometheus' own words when the query is invalid. */
  readonly query: (expression: string) => Effect.Effect<ReadonlyArray<Sample>>
  /** Each rule's name, health (`ok`, `unknown`, `err`) and last error. */
  readonly rules: Effect.Effect<ReadonlyArray<{ readonly name: string; readonly health: string }>>
}

const configOf = (target: string, token: string, rules: string) => ({
  global: { scrape_interval: "1s", evaluation_interval: "1s" },
  rule_files: [rules],
  scrape_configs: [
    { job_name: "svc", authorization: { credentials: token }, static_configs: [{ targets: [target] }] }
  ]
})

/** A real Prometheus that scrapes the brain at `base` each second and evaluates the rules; ended with the scope. */
export const startPrometheus = (options: {
  readonly base: string
  readonly token: string
  readonly rules: string
}): Effect.Effect<Prometheus, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { env, path } = yield* Effect.promise(() => debianProgram("prometheus"))
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-prometheus-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const port = yield* freePort
    const config = join(folder, "prometheus.yml")
    // JSON is YAML
    writeFileSync(config, JSON.stringify(configOf(new URL(options.base).host, options.token, options.rules)))
    const { log } = yield* startProgram(path, [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`
    ], { env })
    const url = `http://127.0.0.1:${port}`
    yield* until(
      Effect.promise(() => fetch(`${url}/-/ready`).then(({ status }) => status, () => 0)),
      (status) => status === 200,
      "30 seconds"
    ).pipe(Effect.tapError(() => Effect.logError(log())), Effect.orDie)

    const get = (path: string) =>
      Effect.promise(async () => {
        const response = await fetch(`${url}/api/v1/${path}`)
        // the shape that Prometheus documents: status, then data or error
        const body = (await response.json()) as {
          readonly status: string
          readonly error?: string
          readonly data: never
        }
        if (body.status !== "success") throw new Error(`${decodeURIComponent(path)}: ${body.error}`)
        return body.data
      })
    return {
      query: (expression) =>
        Effect.map(
          get(`query?query=${encodeURIComponent(expression)}`),
          ({ result }: { readonly result: ReadonlyArray<Sample> }) => result
        ),
      rules: Effect.map(
        get("rules"),
        ({ groups }: {
          readonly groups: ReadonlyArray<
            { readonly rules: ReadonlyArray<{ readonly name: string; readonly health: string }> }
          >
        }) => groups.flatMap(({ rules }) => rules)
      )
    }
  })
