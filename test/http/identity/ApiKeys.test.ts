import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { ApiKeys } from "../../../src/services/identity/ApiKeys.ts"
import { Authentication } from "../../../src/services/identity/Authentication.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { newApiKey } from "../payloads.ts"
import { clientInBrowser, freshUser, letInAs, proxied, sessionOf, signedIn } from "../people.ts"

const secondsAgo = (seconds: number) => Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, -seconds))

type Browser = Readonly<Record<string, string>>

const mint = (headers: Browser, body: object) =>
  request("POST", "/api-keys", { headers, body: { name: "script", ...body } })

describe.each(laneEngines)("API keys on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("a key is shown once, works, and notes its use", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const headers = yield* signedIn(yield* freshUser())
        const created = yield* mint(headers, {
          scopes: ["projects:read", "auth:read", "auth:read"],
          expires_in_days: 1
        })
        assert.strictEqual(created.status, 201)
        const { token, ...shown } = created.json
        assert.match(token, /^svk_[\w-]{43}$/)
        assert.deepInclude(shown, {
          prefix: token.slice(0, 12),
          scopes: ["projects:read", "auth:read"],
          revoked_at: null
        })
        const first = yield* request("GET", "/api-keys", { headers })
        assert.deepStrictEqual(first.json, [shown])
        const me = yield* request("GET", "/auth/me", { token, headers: { "x-forwarded-for": "192.0.2.7" } })
        assert.strictEqual(me.status, 200)
        const used = yield* request("GET", "/api-keys", { headers })
        assert.strictEqual(used.json[0].last_used_ip, "192.0.2.7")
        assert.isNotNull(used.json[0].last_used_at)
        yield* request("GET", "/auth/me", { token })
        assert.deepStrictEqual((yield* request("GET", "/api-keys", { headers })).json, used.json, "noted once a minute")
        const rows = yield* sql`SELECT * FROM api_keys`
        assert.notInclude(JSON.stringify(rows), token)
        const aMinuteAgo = Timestamp.addSeconds(yield* Timestamp.now, -60)
        yield* sql`UPDATE api_keys SET last_used_at = ${aMinuteAgo} WHERE id = ${shown.id}`
        yield* request("GET", "/auth/me", { token, headers: { "x-forwarded-for": "192.0.2.8" } })
        const [later] = (yield* request("GET", "/api-keys", { headers })).json
        assert.isAbove(Date.parse(later.last_used_at), Date.parse(aMinuteAgo))
        assert.strictEqual(later.last_used_ip, "192.0.2.8")
      }))

    it.effect("no key is made by a request that was let in before its session ended", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const keys = yield* ApiKeys
        const user = yield* freshUser()
        yield* signedIn(user)
        const input = { name: "script", scopes: [], project_id: null, expires_in_days: null, allowed_cidrs: null }
        const make = Effect.provideService(keys.create(input), CurrentActor, yield* letInAs(user))
        yield* make
        yield* sql`UPDATE sessions SET revoked_at = ${yield* Timestamp.now} WHERE user_id = ${user.id}`
        assert.deepInclude(yield* Effect.flip(make), { _tag: "Unauthenticated" })
        assert.strictEqual((yield* sql`SELECT 1 FROM api_keys WHERE user_id = ${user.id}`).length, 1)
      }))

    it.effect("a revoked or expired key stops at once, and stays in the list", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { api_keys } = yield* clientInBrowser(yield* freshUser())
        const { id, token } = yield* api_keys.create({ payload: newApiKey({ scopes: ["auth:read"] }) })
        const { auth } = yield* clientWith({ token })
        yield* auth.me()
        const path = { key_id: id }
        yield* api_keys.revoke({ path })
        yield* assertRefused(auth.me(), "unauthenticated")
        const [revoked] = yield* api_keys.list({})
        assert.isString(revoked?.revoked_at)
        yield* api_keys.revoke({ path })
        assert.deepStrictEqual(yield* api_keys.list({}), [revoked!])
        const other = yield* api_keys.create({ payload: newApiKey({ scopes: ["auth:read"], expires_in_days: 1 }) })
        yield* sql`UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000000Z' WHERE id = ${other.id}`
        yield* assertRefused((yield* clientWith(other)).auth.me(), "unauthenticated")
      }))

    it.effect("keys are their owner's own", () =>
      Effect.gen(function*() {
        const owner = yield* clientInBrowser(yield* freshUser())
        const { id } = yield* owner.api_keys.create({ payload: newApiKey() })
        const { api_keys } = yield* clientInBrowser(yield* freshUser({ isAdmin: true }))
        assert.deepStrictEqual(yield* api_keys.list({}), [])
        const path = { key_id: id }
        yield* assertRefused(api_keys.update({ path, payload: { allowed_cidrs: null } }), "not_found")
        yield* assertRefused(api_keys.revoke({ path }), "not_found")
      }))

    it.effect("takes scopes from the catalogue only, and the admins' from admins only", () =>
      Effect.gen(function*() {
        const { api_keys } = yield* clientInBrowser(yield* freshUser())
        const admin = yield* clientInBrowser(yield* freshUser({ isAdmin: true }))
        const withScopes = (...scopes: ReadonlyArray<string>) => ({ payload: newApiKey({ scopes }) })
        const catalogue = yield* api_keys.scopes()
        assert.deepStrictEqual(catalogue.admin_only, ["admin:*", "users:read", "users:write"])
        const unknown = yield* Effect.flip(admin.api_keys.create(withScopes("tasks:read", "tasks:fly")))
        assert.strictEqual(unknown._tag === "ValidationFailed" && unknown.issues[0]?.path, "scopes.1")
        for (const scope of catalogue.admin_only) {
          yield* assertRefused(api_keys.create(withScopes(scope)), "scope_admin_only")
          yield* admin.api_keys.create(withScopes(scope))
        }
        const every = catalogue.scopes.filter((scope) => !catalogue.admin_only.includes(scope))
        yield* api_keys.create(withScopes(...every))
        for (const { name, scopes } of catalogue.presets) {
          assert.isNotEmpty(scopes, name)
          yield* api_keys.create(withScopes(...scopes)) // each is for keys of everyone
        }
      }))

    it.effect("a key does no more than its owner may by now", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser({ isAdmin: true })
        const { api_keys } = yield* clientInBrowser(user)
        const key = yield* clientWith(yield* api_keys.create({ payload: newApiKey({ scopes: ["admin:*"] }) }))
        yield* key.users.list({ urlParams: {} })
        yield* sql`UPDATE users SET is_admin = 0 WHERE id = ${user.id}`
        yield* assertRefused(key.users.list({ urlParams: {} }), "forbidden")
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${user.id}`
        yield* assertRefused(key.auth.me(), "unauthenticated")

        const project = yield* freshProject()
        const member = yield* freshUser({ roles: { [project.slug]: "admin" } })
        const payload = newApiKey({ scopes: ["agents:read", "agents:write"], project_id: project.id })
        const { agents } = yield* clientWith(yield* (yield* clientInBrowser(member)).api_keys.create({ payload }))
        const path = { slug: project.slug }
        yield* agents.create({ path, payload: { name: "one" } })
        yield* sql`UPDATE memberships SET role = 'viewer' WHERE user_id = ${member.id}`
        yield* assertRefused(agents.create({ path, payload: { name: "two" } }), "forbidden")
        assert.lengthOf(yield* agents.list({ path, urlParams: {} }), 1)
        yield* sql`DELETE FROM memberships WHERE user_id = ${member.id}`
        yield* assertRefused(agents.list({ path, urlParams: {} }), "not_found")
      }))

    it.effect("a key opens what its scopes name, endpoint by endpoint", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const headers = yield* signedIn(yield* freshUser({ roles: { [project.slug]: "admin" } }))
        const { token } = (yield* mint(headers, { scopes: ["tasks:read"] })).json
        const nothing = (yield* mint(headers, { scopes: [] })).json
        const of = (path: string, key: string, method = "GET") =>
          request(method, `/projects/${project.slug}${path}`, { token: key })
        assert.strictEqual((yield* of("/tasks", token)).status, 200)
        for (
          const [path, scope] of [["/agents", "agents:read"], ["/workers", "workers:read"], [
            "/commands",
            "commands:read"
          ]] as const
        ) {
          assert.deepInclude((yield* of(path, token)).json, {
            status: 403,
            code: "scope_missing",
            detail: `The API key lacks the scope ${scope}.`
          })
        }
        assert.strictEqual((yield* of("", token, "DELETE")).status, 403)
        assert.strictEqual((yield* of("/tasks", nothing.token)).json.code, "scope_missing")
        const own = yield* request("POST", "/api-keys", { token, body: { name: "another" } })
        assert.strictEqual(own.status, 403, "no key makes a key")
      }))

    it.effect("a bound key sees its project only, but what is of no project stays open to it", () =>
      Effect.gen(function*() {
        const [project, other] = [yield* freshProject(), yield* freshProject()]
        const user = yield* freshUser({ roles: { [project.slug]: "viewer", [other.slug]: "viewer" } })
        const headers = yield* signedIn(user)
        const scopes = ["projects:read", "auth:read"]
        const { project_slug, token } = (yield* mint(headers, { scopes, project_id: project.id.toUpperCase() })).json
        assert.strictEqual(project_slug, project.slug)
        const slugsOf = (response: { readonly json: ReadonlyArray<{ slug: string }> }) =>
          response.json.map(({ slug }) => slug)
        assert.deepStrictEqual(slugsOf(yield* request("GET", "/projects", { token })), [project.slug])
        assert.strictEqual((yield* request("GET", `/projects/${project.slug}`, { token })).status, 200)
        assert.strictEqual((yield* request("GET", `/projects/${other.slug}`, { token })).status, 404)
        assert.lengthOf((yield* request("GET", "/auth/me", { token })).json.memberships, 1)
        const hidden = yield* freshProject()
        assert.strictEqual((yield* mint(headers, { project_id: hidden.id })).status, 404)
        assert.strictEqual((yield* mint(headers, { project_id: randomUUID() })).status, 404)

        const admin = yield* signedIn(yield* freshUser({ isAdmin: true }))
        const minted = (yield* mint(admin, { scopes: ["projects:write"], project_id: project.id })).json
        const slug = `made-${minted.id.slice(-12)}`
        const created = yield* request("POST", "/projects", { token: minted.token, body: { slug, name: "Made" } })
        assert.strictEqual(created.status, 201)
        const removed = yield* request("DELETE", `/projects/${slug}`, { token: minted.token })
        assert.strictEqual(removed.status, 404)

        // users are the whole brain's
        const all = (yield* mint(admin, { scopes: ["admin:*"], project_id: project.id })).json
        const { user_id } = yield* freshKey()
        const requests = [
          ["POST", "/users", { email: `${slug}@example.com`, password: "correct horse battery" }],
          ["PATCH", `/users/${user_id}`, { is_active: false }],
          ["POST", `/users/${user_id}/password`, { new_password: "correct horse battery" }],
          ["DELETE", `/users/${user_id}`, undefined]
        ] as const
        for (const [method, path, body] of requests) {
          const refused = yield* request(method, path, { token: all.token, ...(body !== undefined && { body }) })
          assert.deepInclude(refused.json, { status: 403, code: "scope_missing" }, `${method} ${path}`)
          assert.include(refused.json.detail, "bound to a project")
        }
      }))

    it.effect("fifty uses at once of a key, or of a session, are noted once", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { token, user_id } = yield* freshKey()
        const browser = yield* sessionOf(user_id)
        yield* sql`UPDATE sessions SET last_seen_at = ${yield* secondsAgo(120)} WHERE user_id = ${user_id}`
        yield* sql`CREATE TABLE noted (what TEXT)`
        for (const table of ["api_keys", "sessions"] as const) {
          const insert = sql.literal(`INSERT INTO noted VALUES ('${table}');`)
          yield* sql.onDialectOrElse({
            pg: () =>
              sql`CREATE FUNCTION note_${
                sql.literal(table)
              }() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${insert} RETURN NEW; END $$`,
            orElse: () => sql`SELECT 1`
          })
          yield* sql`CREATE TRIGGER ${sql(`note_${table}`)} AFTER UPDATE ON ${sql(table)} FOR EACH ROW ${
            sql.onDialectOrElse({
              pg: () => sql`EXECUTE FUNCTION note_${sql.literal(table)}()`,
              orElse: () => sql`BEGIN ${insert} END`
            })
          }`
        }
        const authentication = yield* Authentication
        const source = { source_ip: "192.0.2.7", user_agent: null }
        const cookie = /svc_session=([^;]+)/.exec(browser.cookie)?.[1] ?? ""
        const uses = [
          authentication.findByApiKey(token, source, true, null),
          authentication.findBySession(cookie, source, true, null)
        ]
        const people = yield* Effect.all(Array.from({ length: 50 }, () => uses).flat(), { concurrency: "unbounded" })
        assert.isTrue(people.every(Option.isSome))
        const noted = yield* sql<{ what: string }>`SELECT what FROM noted ORDER BY what`
        assert.deepStrictEqual(noted.map(({ what }) => what), ["api_keys", "sessions"])
        for (const table of ["api_keys", "sessions"] as const) {
          yield* sql`DROP TRIGGER ${sql(`note_${table}`)} ${
            sql.onDialectOrElse({ pg: () => sql`ON ${sql(table)}`, orElse: () => sql`` })
          }`
        }
      }))

    it.effect("a key works from its addresses only", () =>
      Effect.gen(function*() {
        const headers = yield* signedIn(yield* freshUser())
        const { id, token } = (yield* mint(headers, {
          scopes: ["auth:read"],
          allowed_cidrs: ["192.0.2.0/24", "2001:db8::/32", "198.51.100.7"]
        })).json
        const from = (address: string) => request("GET", "/auth/me", { token, headers: { "x-forwarded-for": address } })
        for (const address of ["192.0.2.200", "2001:db8::1", "198.51.100.7", "::ffff:192.0.2.1"]) {
          assert.strictEqual((yield* from(address)).status, 200, address)
        }
        for (const address of ["192.0.3.1", "2001:db9::1", "198.51.100.8"]) {
          assert.deepInclude((yield* from(address)).json, { status: 403, code: "address_not_allowed" }, address)
        }
        const patch = (body: object) => request("PATCH", `/api-keys/${id}`, { headers, body })
        assert.lengthOf((yield* patch({})).json.allowed_cidrs, 3)
        assert.deepStrictEqual((yield* patch({ allowed_cidrs: ["10.0.0.0/8"] })).json.allowed_cidrs, ["10.0.0.0/8"])
        assert.strictEqual((yield* from("192.0.2.200")).status, 403)
        assert.isNull((yield* patch({ allowed_cidrs: null })).json.allowed_cidrs)
        assert.strictEqual((yield* from("192.0.2.200")).status, 200)
        yield* patch({ allowed_cidrs: ["::ffff:198.51.100.0/120"] })
        assert.strictEqual((yield* from("198.51.100.9")).status, 200)
        assert.strictEqual((yield* from("198.51.101.9")).status, 403)
        for (const invalid of ["10", "0x7f.1", "10.0.0.0/8/8", "fe80::/129", "localhost", ""]) {
          assert.strictEqual((yield* patch({ allowed_cidrs: [invalid] })).status, 422, invalid)
        }
        const bad = yield* patch({ allowed_cidrs: ["10.0.0.0/8", "10.0.0.0/33"] })
        assert.strictEqual(bad.json.details.issues[0].path, "allowed_cidrs.1")
      }))
  })
})
