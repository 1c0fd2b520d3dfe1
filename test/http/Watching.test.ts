import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Duration, Effect, Option, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { version } from "../../src/domain/kernel/Version.ts"
import { Leader } from "../../src/services/kernel/concurrency/Leader.ts"
import { Keys } from "../../src/services/kernel/keys/Keys.ts"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { until } from "../until.ts"

type Kind = "dependencies" | "optionalDependencies" | "devDependencies"
const packaged: Readonly<Record<Kind, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)
/** Peers of the library. The program includes their pinned versions. */
const includedByBuild = Object.fromEntries(
  Object.entries(packaged.devDependencies).filter(([name]) =>
    /^(@effect\/|effect$)/.test(name) && name !== "@effect/vitest"
  )
)

describe.each(laneEngines)("watching on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("is alive without a version, at both paths", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* request("GET", "//health")).json, { status: "ok" })
        assert.deepStrictEqual((yield* request("GET", "/health")).json, { status: "ok" })
      }))

    it.effect("is ready once it is built, also inside another application", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* request("GET", "//health/ready")).json, { status: "ready" })
      }))

    it.effect("shows the system and each check to a signed-in person", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey()
        assert.strictEqual((yield* request("GET", "/health/system")).status, 401)
        const system = yield* request("GET", "/health/system", { token })
        assert.strictEqual(system.json.database.dialect, engine === "SQLite" ? "sqlite" : "pg")
        assert.deepStrictEqual(system.json.packages, {
          ...packaged.dependencies,
          ...packaged.optionalDependencies,
          ...includedByBuild
        })
        const deep = yield* request("GET", "/health/deep", { token })
        assert.deepInclude(deep.json, { status: "ok" })
        assert.strictEqual(deep.json.checks.audit_chain.scope, "state-only")
      }))

    it.effect("times each check by itself", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey()
        const [elapsed, { json }] = yield* Effect.timed(request("GET", "/health/deep", { token }))
        const times = Object.values<{ readonly latency_ms: number | null }>(json.checks)
          .flatMap(({ latency_ms }) => latency_ms ?? [])
        assert.isAtMost(times.reduce((sum, millis) => sum + millis, 0), Duration.toMillis(elapsed))
        assert.isAbove(new Set(times).size, 1, times.join(", "))
      }))

    it.scoped("names who leads, while a lease is held", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey()
        const leader = yield* Leader
        const led = Effect.map(request("GET", "/health/deep", { token }), ({ json }) => json.checks.leaders)
        const line = `the test: ${hostname()}:${process.pid}`
        const during = yield* Effect.map(leader.only("the test", led), Option.getOrThrow)
        assert.deepInclude(during, { status: "ok" })
        assert.include(during.detail.split(", "), line)
        assert.isNumber(during.latency_ms)
        assert.notInclude((yield* led).detail ?? "", "the test", "it gave the lease up")
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM leases`
        yield* until(led, ({ detail, status }) => detail === null && status === "ok")
      }))

    it.effect("says whether a check failed or had no result in time", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { token } = yield* freshKey()
        const mail = Effect.map(request("GET", "/health/deep", { token }), ({ json }) => json.checks.mail)
        yield* sql`ALTER TABLE mail_outbox RENAME TO mail_outbox_away`
        const failed = yield* Effect.ensuring(
          mail,
          Effect.orDie(sql`ALTER TABLE mail_outbox_away RENAME TO mail_outbox`)
        )
        assert.deepInclude(failed, { status: "failed", detail: "the check failed; the log has the cause" })
        if (engine === "SQLite") return // no lock makes a reader of SQLite wait
        const silent = yield* sql.withTransaction(
          Effect.zipRight(sql`LOCK TABLE mail_outbox IN ACCESS EXCLUSIVE MODE`, mail)
        )
        assert.deepInclude(silent, { status: "failed", detail: "no answer within 2 seconds" })
      }))

    it.effect("shows an audit chain whose head is not ours", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { token } = yield* freshKey()
        yield* freshProject()
        const deep = Effect.map(
          request("GET", "/health/deep", { token }),
          ({ json, status }) => [status, json.checks.audit_chain.status, json.checks.audit_chain.detail]
        )
        const [head] = yield* sql<{ row_hash: string; row_hmac: string }>`SELECT row_hash, row_hmac FROM audit_head`
        const hash = "ab".repeat(32)
        yield* sql`UPDATE audit_head SET row_hash = ${hash}`
        const forged = yield* deep
        yield* sql`UPDATE audit_head SET row_hash = ${head?.row_hash ?? ""}, row_hmac = ${hash}`
        const another = yield* deep
        yield* sql`UPDATE audit_head SET row_hmac = ${head?.row_hmac ?? ""}`
        assert.deepStrictEqual(forged.slice(0, 2), [503, "failed"])
        assert.include(forged[2], "was not written by us")
        assert.deepStrictEqual(another, [503, "failed", "the chain's head is not its newest row"])
        const after = yield* until(deep, ([status]) => status === 200) // once the brain has checked again
        assert.deepStrictEqual(after, [200, "ok", null])
      }))

    it.effect("shows what the last verification of the audit log found", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { token } = yield* freshKey()
        const check = Effect.map(
          request("GET", "/health/deep", { token }),
          ({ json: { checks: { audit_verification: { activated, detail, status } } } }) => ({
            activated,
            detail,
            status
          })
        )
        const at = "2026-01-31T09:26:53.589793Z"
        const finish = (outcome: string) =>
          sql`INSERT INTO audit_verification ${
            sql.insert({ id: 1, claimed_at: at, finished_at: at, outcome, rows: 12 })
          } ON CONFLICT (id) DO UPDATE SET outcome = excluded.outcome`
        assert.deepStrictEqual(yield* check, {
          activated: false,
          status: "ok",
          detail: "no verification has ended yet"
        })
        yield* finish("clean")
        assert.deepInclude(yield* check, { status: "ok", detail: "all 12 rows were intact at 2026-01-31 09:26:53 UTC" })
        yield* finish("failed")
        const broken = yield* check
        yield* finish("error")
        const unfinished = yield* check
        yield* sql`DELETE FROM audit_verification`
        assert.strictEqual(broken.status, "failed")
        assert.include(broken.detail, "broken after 12 intact rows; run svc audit verify")
        assert.strictEqual(unfinished.status, "degraded")
      }))

    it.effect("gives metrics to the bearer of the token only", () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* request("GET", "//metrics")).status, 401)
        assert.strictEqual((yield* request("GET", "//metrics", { token: "wrong" })).status, 401)
        const token = Redacted.value((yield* Keys).metricsToken)
        const metrics = yield* request("GET", "//metrics", { token })
        assert.strictEqual(metrics.status, 200)
        for (
          const name of [
            "svc_agents_online 0",
            "svc_tasks_total",
            "svc_background_task_error_active",
            "svc_swallowed_exceptions_total"
          ]
        ) {
          assert.include(metrics.text, name)
        }
        const connections = engine === "SQLite" ? ["reader", "writer"] : ["pool"]
        for (const connection of connections) {
          assert.match(metrics.text, new RegExp(`svc_database_seconds_count\\{connection="${connection}"\\} [1-9]`))
        }
      }))

    it.effect("serves /health and /metrics as often as one address asks", () =>
      Effect.gen(function*() {
        const token = Redacted.value((yield* Keys).metricsToken)
        const ask = (path: string, times: number) =>
          Effect.map(
            Effect.all(Array.from({ length: times }, () => request("GET", path, { token })), { concurrency: 8 }),
            (responses) => new Set(responses.map(({ status }) => status))
          )
        // more than the agents' bucket lets through in a minute, and more than any other
        assert.deepStrictEqual([...yield* ask("//health", 601)], [200])
        assert.deepStrictEqual([...yield* ask("//metrics", 61)], [200])
      }))

    it.effect("describes itself, offline", () =>
      Effect.gen(function*() {
        const document = yield* request("GET", "/openapi.json")
        assert.strictEqual(document.json.openapi, "3.1.0")
        assert.property(document.json.paths, "/api/v1/projects/{slug}")
        assert.include(document.json.info, { title: "svc", version })
        const paths: Record<
          string,
          Record<string, { responses: Record<string, { content?: object; $ref?: string }> }>
        > = document.json.paths
        for (const [path, methods] of Object.entries(paths)) {
          for (const { responses } of Object.values(methods)) {
            for (const [status, response] of Object.entries(responses)) {
              const { content } = response.$ref === undefined
                ? response
                : document.json.components.responses[response.$ref.split("/").at(-1) ?? ""]
              const isHealth = status === "503" && path.includes("/health/")
              if (status >= "400" && !isHealth) {
                assert.hasAllKeys(content, ["application/problem+json"], `${path} ${status}`)
              }
            }
          }
        }
        assert.notInclude(document.text, "HttpApiDecodeError")
        const retry = document.json.paths["/api/v1/projects/{slug}/commands/retry-task"].post
        assert.deepStrictEqual(retry.security, [{ api_key: [] }, { session: [], csrf_token: [] }])
        assert.match(retry.description, /Needs the role operator in the project\..*`commands:write`/)
        assert.deepStrictEqual(document.json.paths["/api/v1/health"].get.security, [])
        assert.hasAllKeys(document.json.components.securitySchemes, [
          "api_key",
          "agent_token",
          "csrf_token",
          "metrics_token",
          "session"
        ])
        const page = yield* request("GET", "/docs")
        assert.strictEqual(page.status, 200)
        const bare = yield* request("GET", "//")
        assert.strictEqual(bare.status, 200)
        assert.include(bare.text, "href=\"api/v1/docs\"")
      }))
  })
})
