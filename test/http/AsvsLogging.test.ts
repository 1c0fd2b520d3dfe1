import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { accessRules } from "../../src/http/AccessRules.ts"
import { jsonLogger } from "../../src/layers/Logs.ts"
import { Metrics } from "../../src/services/kernel/Metrics.ts"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import type { Engine } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { browserOf, freshUser, fromElsewhere, login, proxied } from "./people.ts"

/** What the program logs, a line each, as it goes to standard output. */
const lines: Array<string> = []

const site = (engine: Engine) =>
  serverOn(engine, proxied).pipe(
    Layer.provideMerge(Logger.replace(
      Logger.defaultLogger,
      Logger.map(jsonLogger, (line) => {
        lines.push(line)
      })
    ))
  )

interface Row {
  readonly action: string
  readonly api_key_id: string | null
  readonly outcome: string
  readonly source_ip: string | null
  readonly target_id: string | null
  readonly project_id: string | null
  readonly metadata: string
  readonly occurred_at: string
}

const rowsOf = (user_id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      Effect.orDie(sql<Row>`SELECT * FROM audit_log WHERE user_id = ${user_id} OR target_id = ${user_id} ORDER BY seq`)
  )

/** While the database lacks a table. */
const without = <A, E, R>(table: string, use: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.acquireUseRelease(
      Effect.orDie(sql`ALTER TABLE ${sql(table)} RENAME TO ${sql(`${table}_away`)}`),
      () => use,
      () => Effect.orDie(sql`ALTER TABLE ${sql(`${table}_away`)} RENAME TO ${sql(table)}`)
    ))

describe.each(laneEngines)("ASVS 5.0, logging and errors, on %s", (engine) => {
  layer(site(engine), { excludeTestServices: true })((it) => {
    it.effect("16.2.2 times of the audit log and of the program's log are UTC and say so", () =>
      Effect.gen(function*() {
        const root = yield* freshKey({ isAdmin: true })
        yield* freshProject()
        yield* request("DELETE", "/users/00000000-0000-7000-8000-000000000000", yield* freshKey())
        const before = Date.now()
        const [newest] = (yield* request("GET", "/activity?limit=1", root)).json.items
        assert.match(newest.occurred_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
        assert.approximately(Date.parse(newest.occurred_at), before, 60_000)
        assert.isAbove(lines.length, 0)
        for (const line of lines) assert.match(JSON.parse(line).ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }))

    it.effect("16.3.1 logins that succeed and that fail are recorded, with who, whence and how it ended", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const headers = fromElsewhere()
        yield* login(user.email, { password: "not the password", headers })
        const browser = browserOf(yield* login(user.email, { headers }))
        yield* request("POST", "/auth/logout", { headers: { ...browser, ...headers } })
        const rows = yield* rowsOf(user.id)
        const actions = rows.map(({ action, outcome, source_ip }) => [action, outcome, source_ip])
        const address = headers["x-forwarded-for"] ?? ""
        assert.deepStrictEqual(actions.filter(([action]) => String(action).startsWith("auth.")), [
          ["auth.login_failed", "deny", address],
          ["auth.login", "allow", address],
          ["auth.logout", "allow", address]
        ])
      }))

    it.effect("16.3.1 a login by an unknown address is logged, without the address", () =>
      Effect.gen(function*() {
        const headers = fromElsewhere()
        assert.strictEqual((yield* login("hunter2-typed-here@example.com", { headers })).status, 401)
        const ofIt = lines.map((line) => JSON.parse(line)).filter((line) =>
          line.source_ip === headers["x-forwarded-for"]
        )
        assert.deepStrictEqual(ofIt.map(({ level, msg }) => [level, msg]), [[
          "info",
          "a login failed: no account has the address"
        ]])
        assert.notInclude(lines.join("\n"), "hunter2")
      }))

    it.effect("16.3.2 a refused caller is logged; where something would be removed, in the audit log", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const unscoped = yield* freshKey({ isAdmin: true, scopes: ["tasks:read"] })
        const destructive = [...accessRules].filter(([, rule]) => rule.destructive === true).map(([endpoint]) =>
          endpoint
        )
        assert.includeMembers(destructive, [
          "POST /api/v1/projects/:slug/commands/purge-queue",
          "POST /api/v1/projects/:slug/tasks/bulk-delete",
          "DELETE /api/v1/projects/:slug",
          "DELETE /api/v1/users/:user_id",
          "DELETE /api/v1/projects/:slug/agents/:agent_id"
        ])
        const projectPath = `/projects/${project.slug}`
        assert.strictEqual(
          (yield* request("POST", `${projectPath}/commands/purge-queue`, { ...viewer, body: {} })).status,
          403
        )
        assert.strictEqual((yield* request("DELETE", projectPath, viewer)).status, 403)
        assert.strictEqual((yield* request("DELETE", projectPath, unscoped)).status, 403)
        assert.strictEqual((yield* request("GET", `${projectPath}/audit`, viewer)).status, 403)
        const rows = yield* rowsOf(viewer.user_id)
        assert.deepStrictEqual(
          rows.map(({ action, outcome, project_id, target_id }) => [action, outcome, project_id, target_id]),
          [
            ["access.denied", "deny", project.id, "POST /api/v1/projects/:slug/commands/purge-queue"],
            ["access.denied", "deny", project.id, "DELETE /api/v1/projects/:slug"]
          ]
        )
        assert.deepStrictEqual(JSON.parse(rows[0]!.metadata), { code: "forbidden", path: { slug: project.slug } })
        assert.strictEqual(JSON.parse((yield* rowsOf(unscoped.user_id))[0]!.metadata).code, "scope_missing")
        const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.user_id === viewer.user_id)
        assert.deepStrictEqual(logged.map(({ endpoint }) => endpoint), [
          "POST /api/v1/projects/:slug/commands/purge-queue",
          "DELETE /api/v1/projects/:slug",
          "GET /api/v1/projects/:slug/audit"
        ])
      }))

    it.effect("16.3.2 a key that is tried from an address it is not for is logged and recorded, whatever it was tried on", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const key = yield* freshKey({ isAdmin: true })
        yield* sql`UPDATE api_keys SET allowed_cidrs = '["192.0.2.0/24"]' WHERE user_id = ${key.user_id}`
        const [{ id } = { id: "" }] = yield* sql<{ id: string }>`SELECT id FROM api_keys WHERE user_id = ${key.user_id}`
        const headers = { "x-forwarded-for": "198.51.100.66" }
        for (const method of ["GET", "DELETE"]) {
          const response = yield* request(method, `/projects/${project.slug}`, { token: key.token, headers })
          assert.deepInclude(response.json, { status: 403, code: "address_not_allowed" })
        }
        const rows = yield* rowsOf(key.user_id)
        const refusals = rows.map((
          { action, api_key_id, metadata, source_ip, target_id }
        ) => [action, api_key_id, JSON.parse(metadata).code, source_ip, target_id])
        const endpoints = ["GET /api/v1/projects/:slug", "DELETE /api/v1/projects/:slug"]
        assert.deepStrictEqual(
          refusals,
          endpoints.map((endpoint) => ["access.denied", id, "address_not_allowed", "198.51.100.66", endpoint])
        )
        const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.api_key_id === id)
        assert.deepStrictEqual(
          logged.map(({ code, endpoint, source_ip }) => [code, endpoint, source_ip]),
          endpoints.map((endpoint) => ["address_not_allowed", endpoint, "198.51.100.66"])
        )
        yield* Effect.forEach(
          Array.from({ length: 11 }),
          () => request("GET", "/auth/me", { token: key.token, headers })
        )
        assert.lengthOf(yield* rowsOf(key.user_id), 10)
        const [{ last_used_at } = { last_used_at: "" }] = yield* sql<{ last_used_at: string | null }>`
          SELECT last_used_at FROM api_keys WHERE id = ${id}`
        assert.isNull(last_used_at)
      }))

    it.effect("16.3.1 a key that is no longer valid, or unknown, is logged without the key", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const past = "2020-01-01T00:00:00.000000Z"
        const [revoked, expired, inactive] = [yield* freshKey(), yield* freshKey(), yield* freshKey()]
        yield* sql`UPDATE api_keys SET revoked_at = ${past} WHERE user_id = ${revoked.user_id}`
        yield* sql`UPDATE api_keys SET expires_at = ${past} WHERE user_id = ${expired.user_id}`
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${inactive.user_id}`
        const stranger = { token: "svk_nobody-has-this-key", user_id: undefined }
        const headers = fromElsewhere()
        const begun = lines.length
        for (const { token } of [revoked, expired, inactive, stranger]) {
          assert.strictEqual((yield* request("GET", "/auth/me", { token, headers })).status, 401)
        }
        const written = lines.slice(begun).map((line) => JSON.parse(line)).filter((line) =>
          line.source_ip === headers["x-forwarded-for"]
        )
        assert.deepStrictEqual(written.map(({ level, msg, user_id }) => [level, msg, user_id]), [
          ["info", "an API key was refused: it is revoked", revoked.user_id],
          ["info", "an API key was refused: it has expired", expired.user_id],
          ["info", "an API key was refused: its owner is not active", inactive.user_id],
          ["info", "an API key was refused: no such key", undefined]
        ])
        assert.isString(written[0]?.api_key_id)
        for (const { token } of [revoked, expired, inactive, stranger]) assert.notInclude(lines.join("\n"), token)
        // no log is filled that way either
        yield* Effect.forEach(
          Array.from({ length: 20 }),
          () => request("GET", "/auth/me", { token: stranger.token, headers })
        )
        assert.lengthOf(lines.slice(begun).filter((line) => line.includes("an API key was refused")), 10)
      }))

    it.effect("16.3.2 refusals cannot fill the audit log", () =>
      Effect.gen(function*() {
        const metrics = yield* Metrics
        const leftOut = Effect.map(Effect.promise(() => metrics.auditDenials.get()), ({ values }) =>
          values.find(({ labels }) => labels.outcome === "left_out")?.value ?? 0)
        const caller = yield* freshKey()
        const before = yield* leftOut
        const id = "00000000-0000-7000-8000-000000000000"
        yield* Effect.forEach(Array.from({ length: 13 }), () =>
          request("DELETE", `/users/${id}`, caller))
        assert.strictEqual((yield* rowsOf(caller.user_id)).length, 10)
        assert.strictEqual((yield* leftOut) - before, 3)
      }))

    it.effect("16.4.1 what callers send cannot forge a line of a log", () =>
      Effect.gen(function*() {
        const caller = yield* freshKey({ scopes: [] })
        const forged = "x\r\n{\"level\":\"error\"}\u001b[2J\u2028"
        const begun = lines.length
        const response = yield* request("DELETE", `/projects/${encodeURIComponent(forged)}`, {
          ...caller,
          headers: { "x-request-id": "a b\tc", "user-agent": "x\t\"y\"" }
        })
        assert.strictEqual(response.status, 403)
        const [row] = yield* rowsOf(caller.user_id)
        // oxlint-disable-next-line no-control-regex -- that is what must not be there
        assert.notMatch(row!.metadata, /[\u0000-\u001f]/)
        assert.strictEqual(JSON.parse(row!.metadata).path.slug, forged)
        const written = lines.slice(begun)
        assert.isAbove(written.length, 0)
        for (const line of written) {
          // oxlint-disable-next-line no-control-regex -- as above
          assert.notMatch(line, /[\u0000-\u001f]/)
          assert.notInclude(line, "a b")
        }
      }))

    it.effect("16.5.1 an unexpected error is described in general words, and its cause is in the log only", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const root = yield* freshKey({ isAdmin: true })
        const response = yield* without("queues", request("GET", `/projects/${project.slug}/queues`, root))
        assert.strictEqual(response.status, 500)
        assert.deepInclude(response.json, { code: "internal_error", details: {} })
        assert.notMatch(response.text, /queues|SELECT|sql|\.ts|node_modules/i)
        const logged = lines.map((line) => JSON.parse(line)).find((line) =>
          line.request_id === response.json.request_id
        )
        assert.deepInclude(logged, { level: "error" })
        assert.include(logged.error, "queues")
      }))

    it.effect("16.5.2 no caller gets in while what access depends on cannot be read", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const root = yield* freshKey({ isAdmin: true })
        for (const table of ["api_keys", "memberships", "projects"]) {
          const response = yield* without(table, request("GET", `/projects/${project.slug}`, root))
          assert.strictEqual(response.status, 500, table)
          assert.strictEqual(response.json.code, "internal_error")
        }
        assert.strictEqual((yield* request("GET", `/projects/${project.slug}`, root)).status, 200)
      }))

    it.effect("16.5.3 what cannot be audited is not done, and who is refused stays refused", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const root = yield* freshKey({ isAdmin: true })
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const [removed, tried] = yield* without(
          "audit_log",
          Effect.all([
            request("DELETE", `/projects/${project.slug}`, root),
            request("DELETE", `/projects/${project.slug}`, viewer)
          ])
        )
        assert.strictEqual(removed.status, 500)
        assert.strictEqual(tried.status, 500)
        assert.strictEqual((yield* request("GET", `/projects/${project.slug}`, root)).status, 200)
        assert.deepStrictEqual(yield* rowsOf(viewer.user_id), [])
      }))

    it.effect("16.5.4 an error without a handler ends one request and no more", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const root = yield* freshKey({ isAdmin: true })
        const path = `/projects/${project.slug}/queues`
        const responses = yield* without(
          "queues",
          Effect.all([
            request("GET", path, root),
            request("GET", "/health", root),
            request("GET", path, root)
          ], { concurrency: "unbounded" })
        )
        assert.deepStrictEqual(responses.map(({ status }) => status), [500, 200, 500])
        assert.strictEqual((yield* request("GET", path, root)).status, 200)
      }))
  })
})
