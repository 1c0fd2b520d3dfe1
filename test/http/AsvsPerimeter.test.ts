import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { accessRules } from "../../src/http/AccessRules.ts"
import { Outbound } from "../../src/services/kernel/Outbound.ts"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { portOf } from "../ports.ts"
import { freshUser, fromElsewhere, login, proxied, signedIn } from "./people.ts"

/** Requirements of OWASP ASVS 5.0, by their numbers, as far as they are about the way in and out of the brain. */
describe.each(laneEngines)("ASVS 5.0 on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, outboundAllowCidrs: ["127.0.0.1:*"] }), { excludeTestServices: true })((it) => {
    it.effect("13.4.5 documentation and monitoring are there for those they are meant for, and nothing else is", () =>
      Effect.gen(function*() {
        const status = (path: string, token?: string) =>
          Effect.map(
            request("GET", path, { headers: fromElsewhere(), ...(token !== undefined && { token }) }),
            (response) => response.status
          )
        for (const path of ["//metrics", "/health/system", "/health/deep", "/users"]) {
          assert.strictEqual(yield* status(path), 401, path)
        }
        const { token } = yield* freshKey()
        assert.strictEqual(yield* status("//metrics", token), 401, "an API key is not the metrics token")
        for (
          const path of [
            "//debug",
            "//status",
            "//admin",
            "//.git/config",
            "//.env",
            "//server-status",
            "//actuator",
            "//swagger",
            "//openapi.json",
            "//docs",
            "/debug"
          ]
        ) {
          assert.strictEqual(yield* status(path, token), 404, path)
        }
        assert.deepStrictEqual(
          (yield* request("GET", "//health")).json,
          { status: "ok" },
          "no version, nothing of the inside"
        )
        // the API's description is public, and says nothing about this brain
        const document = (yield* request("GET", "/openapi.json", { headers: fromElsewhere() })).text
        for (const name of ["127.0.0.1", "postgres", "/tmp/"]) assert.notInclude(document, name)
      }))

    it.effect("15.3.2 a call to outside does not follow a redirect", () =>
      Effect.gen(function*() {
        const calledPaths: Array<string> = []
        const server = createServer((incoming, response) => {
          calledPaths.push(incoming.url ?? "")
          response.writeHead(302, { location: "/inside" }).end()
        })
        const url = `http://127.0.0.1:${yield* portOf(server)}/hook`
        const outbound = yield* Outbound
        const response = yield* outbound.call({ url, method: "POST", headers: {}, body: "{}", plainHttp: true })
        assert.strictEqual(response.status, 302)
        assert.deepStrictEqual(calledPaths, ["/hook"])
      }).pipe(Effect.scoped))

    it.effect("15.3.3 a body changes the fields that its endpoint has, and no others", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const headers = yield* signedIn(user)
        const stored = Effect.map(sql`SELECT * FROM users WHERE id = ${user.id}`, (rows) => ({ ...rows[0] }))
        const before = yield* stored
        const more = {
          id: "x",
          is_admin: true,
          is_active: false,
          email: "other@example.com",
          password_hash: "!",
          role: "admin",
          __proto__: { is_admin: true }
        }
        yield* request("PATCH", "/auth/me", { headers, body: { display_name: "Changed", ...more } })
        const after = yield* stored
        for (const column of ["id", "is_admin", "is_active", "email", "email_key", "password_hash"]) {
          assert.strictEqual(after[column], before[column], column)
        }
        const key = yield* request("POST", "/api-keys", {
          headers,
          body: {
            name: "k",
            scopes: ["auth:read"],
            user_id: "x",
            token: "svk_chosen",
            token_hash: "x",
            prefix: "svk_chosen",
            revoked_at: null,
            expires_at: null
          }
        })
        assert.strictEqual(key.status, 201, "what it does not know is passed over")
        const [createdKey] = yield* sql<
          { user_id: string; prefix: string }
        >`SELECT user_id, prefix FROM api_keys WHERE id = ${key.json.id}`
        assert.strictEqual(createdKey?.user_id, user.id)
        assert.notStrictEqual(createdKey?.prefix, "svk_chosen")
        const project = yield* freshProject()
        const { token } = yield* freshKey({ isAdmin: true })
        yield* request("PATCH", `/projects/${project.slug}`, {
          token,
          body: { name: "Renamed", id: user.id, created_at: "2000-01-01T00:00:00Z" }
        })
        const [row] = yield* sql<
          { id: string; created_at: string }
        >`SELECT id, created_at FROM projects WHERE slug = ${project.slug}`
        assert.deepInclude(row, { id: project.id, created_at: project.created_at })
      }))

    it.effect("15.3.4 behind a proxy the client's own address is limited and recorded, and no client can choose its own", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        yield* login(user.email, { headers: { "x-forwarded-for": "10.0.0.1, 203.0.113.77" } })
        const rows = yield* sql<
          { source_ip: string }
        >`SELECT source_ip FROM audit_log WHERE action = 'auth.login' AND user_id = ${user.id}`
        assert.deepStrictEqual(rows.map(({ source_ip }) => source_ip), ["203.0.113.77"])
        // what is written before the proxy's own entry does not make another client
        const statuses = yield* Effect.forEach(
          Array.from({ length: 11 }),
          (_, n) => request("GET", "/openapi.json", { headers: { "x-forwarded-for": `198.51.100.${n}, 203.0.113.78` } })
        )
        assert.deepStrictEqual(statuses.map(({ status }) => status).slice(-2), [200, 429])
        const [refusal] = statuses.slice(-1)
        for (const [name] of refusal?.headers ?? []) assert.notMatch(name, /^(retry-after|x-ratelimit)/)
      }))

    it.effect("15.4.2 what is checked still holds when it is used: of two last admins one stays", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE users SET is_admin = 0`
        const [one, other] = [yield* freshKey({ isAdmin: true }), yield* freshKey({ isAdmin: true })]
        const demote = (by: { readonly token: string }, who: { readonly user_id: string }) =>
          request("PATCH", `/users/${who.user_id}`, { token: by.token, body: { is_admin: false } })
        const responses = yield* Effect.all([demote(one, other), demote(other, one)], { concurrency: "unbounded" })
        assert.lengthOf(responses.filter(({ status }) => status === 200), 1)
        const admins = yield* sql`SELECT id FROM users WHERE is_admin = 1 AND is_active = 1`
        assert.lengthOf(admins, 1)
      }))
  })
})

layer(serverOn("SQLite", proxied), { excludeTestServices: true })("rate buckets", (it) => {
  it.effect("are those of the contract, shared as it says, and the response says nothing about them", () =>
    Effect.gen(function*() {
      const contract: Readonly<Record<string, string>> = {
        "POST /api/v1/auth/login": "login",
        "POST /api/v1/auth/password-reset/request": "password_reset",
        "POST /api/v1/auth/password-reset/confirm": "password_reset",
        "POST /api/v1/invitations/preview": "invitation",
        "POST /api/v1/invitations/accept": "invitation",
        "POST /api/v1/auth/mfa/verify": "mfa",
        "POST /api/v1/auth/mfa/enroll-complete": "mfa",
        "POST /api/v1/auth/mfa/disable": "mfa",
        "POST /api/v1/auth/reauthenticate": "mfa",
        "GET /api/v1/activity": "activity",
        "POST /api/v1/projects/:slug/tasks/bulk-delete": "bulk_write",
        "POST /api/v1/projects/:slug/commands/bulk-retry": "bulk_write",
        "POST /api/v1/projects/:slug/commands/purge-queue": "bulk_write",
        "POST /api/v1/projects/:slug/schedules/:schedule_id/trigger": "bulk_write",
        "POST /api/v1/projects/:slug/schedules::resync": "bulk_write",
        "POST /api/v1/agent/events": "agent",
        "GET /api/v1/agent/commands": "agent",
        "POST /api/v1/setup/complete": "setup",
        "POST /setup/complete": "setup"
      }
      for (const [route, bucket] of Object.entries(contract)) {
        assert.strictEqual(accessRules.get(route)?.bucket, bucket, route)
      }
      for (const publicRoute of ["GET /api/v1/health", "GET /api/v1/health/ready"]) {
        assert.isUndefined(accessRules.get(publicRoute)?.bucket, publicRoute)
        assert.strictEqual(
          (yield* request("GET", publicRoute.replace("GET /api/v1", ""))).headers.get("content-type"),
          "application/json",
          publicRoute
        )
      }
      const headers = fromElsewhere()
      const responses = yield* Effect.forEach(
        Array.from({ length: 6 }),
        (_, n) => request("GET", n % 2 === 0 ? "/docs" : "/openapi.json", { headers })
      )
      assert.deepStrictEqual(responses.map(({ status }) => status), [200, 200, 200, 200, 200, 200])
      yield* Effect.forEach([1, 2, 3, 4], () => request("GET", "/docs", { headers }))
      const { token } = yield* freshKey({ isAdmin: true })
      const refusal = yield* request("GET", "/openapi.json", { headers, token })
      assert.deepInclude(refusal.json, { status: 429, code: "rate_limited" })
      for (const [name] of refusal.headers) assert.notMatch(name, /^(retry-after|x-ratelimit)/)
    }))
})
