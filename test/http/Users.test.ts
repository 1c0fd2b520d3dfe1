import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { system } from "../../src/domain/Actor.ts"
import { CurrentActor } from "../../src/services/CurrentActor.ts"
import { Users } from "../../src/services/Users.ts"
import { brainOn, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { engines, freshPostgres } from "../databases.ts"
import { freshUser, login, password, proxied, signedIn } from "./people.ts"

describe("users on two replicas", () => {
  it.scopedLive("one admin always stays, whichever replica is asked", () =>
    Effect.gen(function*() {
      const { url } = yield* freshPostgres
      const key = () => Redacted.make(randomBytes(32).toString("base64url"))
      const shared = { databaseUrl: Redacted.make(url), secretKey: key(), auditChainKey: key(), auditSigningKey: key() }
      const [one, other] = [
        yield* Layer.build(brainOn("PostgreSQL", shared)),
        yield* Layer.build(brainOn("PostgreSQL", shared))
      ]
      const { list, remove, update } = Context.get(one, Users)
      const elsewhere = Context.get(other, Users)
      const sql = Context.get(one, SqlClient.SqlClient)
      for (let round = 0; round < 10; round++) {
        yield* sql`DELETE FROM users`
        const admin = Effect.provide(freshKey({ isAdmin: true }), one)
        const [a, b] = [yield* admin, yield* admin]
        const changes = {
          first_name: null,
          last_name: null,
          display_name: null,
          timezone: null,
          is_admin: null,
          is_active: null
        }
        const said = <A, E>(change: Effect.Effect<A, E, CurrentActor>) =>
          Effect.match(change, { onSuccess: () => null, onFailure: (failure) => failure })
        const ends = yield* Effect.all([
          said(Effect.asVoid(round % 2 === 0 ? remove(a.user_id) : update(a.user_id, { ...changes, is_admin: false }))),
          said(elsewhere.update(b.user_id, { ...changes, is_active: false }))
        ], { concurrency: "unbounded" })
        const left = (yield* list(10, 0)).filter((user) => user.is_admin && user.is_active)
        assert.lengthOf(left, 1)
        assert.deepInclude(ends.find((end) => end !== null), { _tag: "Conflict", code: "last_admin" })
      }
    }).pipe(Effect.provideService(CurrentActor, system("test"))))
})

describe.each(engines)("users on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("a global admin makes, finds, changes and deletes people", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const body = { email: "Ada@Example.com", first_name: "Ada", password }
        const created = yield* request("POST", "/users", { token, body })
        assert.strictEqual(created.status, 201)
        assert.hasAllKeys(created.json, [
          "id",
          "email",
          "first_name",
          "last_name",
          "display_name",
          "is_admin",
          "is_active",
          "timezone",
          "last_login_at",
          "created_at",
          "updated_at"
        ])
        const again = yield* request("POST", "/users", { token, body: { ...body, email: "ADA@example.COM" } })
        assert.deepInclude(again.json, { status: 409, code: "email_taken" })
        const path = `/users/${created.json.id}`
        assert.deepStrictEqual((yield* request("GET", path, { token })).json, created.json)
        assert.strictEqual((yield* request("GET", `/users/${created.json.id.toUpperCase()}`, { token })).status, 200)
        assert.strictEqual((yield* login("ada@example.com")).status, 200)
        const changed = yield* request("PATCH", path, { token, body: { is_admin: true, last_name: "Lovelace" } })
        assert.deepInclude(changed.json, { is_admin: true, first_name: "Ada", last_name: "Lovelace" })
        const list = yield* request("GET", "/users?limit=1&offset=0", { token })
        assert.deepStrictEqual(list.json.map(({ id }: { id: string }) => id), [created.json.id])
        assert.strictEqual((yield* request("DELETE", path, { token })).status, 204)
        assert.strictEqual((yield* request("GET", path, { token })).status, 404)
        assert.strictEqual((yield* request("DELETE", path, { token })).status, 404)
      }))

    it.effect("refuses what is out of range, naming the field", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const cases = [
          ["POST", "/users", { email: "no address", password }, "email"],
          ["POST", "/users", { email: "a@b.c", password: "short" }, "password"],
          ["POST", "/users", { email: "a@b.c", password: "x".repeat(257) }, "password"],
          ["POST", "/users", { email: "a@b.c", password, first_name: "x".repeat(101) }, "first_name"],
          ["POST", "/users", { email: "a@b.c\ud800", password }, "email"],
          ["GET", "/users?limit=0", undefined, "limit"],
          ["GET", "/users?offset=x", undefined, "offset"]
        ] as const
        for (const [method, path, body, field] of cases) {
          const answer = yield* request(method, path, { token, ...(body === undefined ? {} : { body }) })
          assert.deepInclude(answer.json, { status: 422, code: "validation_failed" }, path)
          assert.strictEqual(answer.json.details.issues[0].path, field)
        }
        for (const [method, path] of [["GET", ""], ["PATCH", ""], ["POST", "/password"]] as const) {
          const body = method === "GET" ? {} : { body: { new_password: password } }
          assert.strictEqual((yield* request(method, `/users/${randomUUID()}${path}`, { token, ...body })).status, 404)
        }
      }))

    it.effect("who is made inactive is out at once, and stays out when made active again", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const user = yield* freshUser()
        const browser = yield* signedIn(user)
        const setActive = (is_active: boolean) => request("PATCH", `/users/${user.id}`, { token, body: { is_active } })
        assert.strictEqual((yield* setActive(false)).json.is_active, false)
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: browser })).status, 401)
        assert.strictEqual((yield* login(user.email)).status, 401)
        yield* setActive(true)
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: browser })).status, 401)
        assert.strictEqual((yield* login(user.email)).status, 200)
      }))

    it.effect("a password set by an admin opens a locked account and ends its sessions", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { token } = yield* freshKey({ isAdmin: true })
        const user = yield* freshUser()
        const browser = yield* signedIn(user)
        yield* sql`UPDATE users SET failed_logins = 10, locked_until = '2999-01-01T00:00:00.000000Z' WHERE id = ${user.id}`
        const body = { new_password: "set by an admin" }
        assert.strictEqual((yield* request("POST", `/users/${user.id}/password`, { token, body })).status, 204)
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: browser })).status, 401)
        assert.strictEqual((yield* login(user.email)).status, 401)
        assert.strictEqual((yield* login(user.email, { password: "set by an admin" })).status, 200)
      }))

    it.effect("a global admin's own password, set there, keeps the session that asks and ends the others", () =>
      Effect.gen(function*() {
        const user = yield* freshUser({ isAdmin: true })
        const [headers, other] = [yield* signedIn(user), yield* signedIn(user)]
        const body = { new_password: "set by themselves" }
        assert.strictEqual((yield* request("POST", `/users/${user.id}/password`, { headers, body })).status, 204)
        assert.strictEqual((yield* request("GET", "/auth/me", { headers })).status, 200)
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: other })).status, 401)
        assert.strictEqual((yield* login(user.email, { password: "set by themselves" })).status, 200)
      }))

    it.effect("one admin always stays, also when two are taken away at once", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [one, two] = [yield* freshUser({ isAdmin: true }), yield* freshUser({ isAdmin: true })]
        yield* sql`UPDATE users SET is_admin = 0 WHERE id NOT IN (${one.id}, ${two.id})`
        const [first, second] = [yield* signedIn(one), yield* signedIn(two)]
        const race = yield* Effect.all([
          request("PATCH", `/users/${one.id}`, { headers: second, body: { is_admin: false } }),
          request("DELETE", `/users/${two.id}`, { headers: first })
        ], { concurrency: "unbounded" })
        const admins = yield* sql<{ id: string }>`SELECT id FROM users WHERE is_admin = 1 AND is_active = 1`
        assert.lengthOf(admins, 1, JSON.stringify(race.map(({ json, status }) => [status, json])))
        const left = admins[0]?.id ?? ""
        const headers = left === one.id ? first : second
        const tries = [
          yield* request("PATCH", `/users/${left}`, { headers, body: { is_admin: false } }),
          yield* request("PATCH", `/users/${left}`, { headers, body: { is_active: false } }),
          yield* request("DELETE", `/users/${left}`, { headers })
        ]
        for (const { json } of tries) assert.deepInclude(json, { status: 409, code: "last_admin" })
        assert.strictEqual(
          (yield* request("PATCH", `/users/${left}`, { headers, body: { first_name: "Last" } })).status,
          200
        )
      }))
  })

  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("a project's admin grants, changes and revokes roles", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
        const user = yield* freshUser()
        const browser = yield* signedIn(user)
        const path = `/projects/${project.slug}/memberships`
        const see = request("GET", `/projects/${project.slug}`, { headers: browser })
        assert.strictEqual((yield* see).status, 404)
        const granted = yield* request("POST", path, { ...admin, body: { user_id: user.id, role: "viewer" } })
        assert.strictEqual(granted.status, 201)
        assert.deepInclude(granted.json, {
          user_id: user.id,
          project_id: project.id,
          user_email: user.email,
          user_display_name: "A Person",
          role: "viewer"
        })
        assert.strictEqual((yield* see).status, 200)
        const me = yield* request("GET", "/auth/me", { headers: browser })
        assert.deepStrictEqual(me.json.memberships, [
          { project_id: project.id, project_slug: project.slug, role: "viewer" }
        ])
        const again = yield* request("POST", path, { ...admin, body: { user_id: user.id, role: "admin" } })
        assert.deepInclude(again.json, { status: 409, code: "already_member" })
        const one = `${path}/${granted.json.id}`
        assert.strictEqual((yield* request("PATCH", one, { ...admin, body: { role: "admin" } })).json.role, "admin")
        assert.lengthOf((yield* request("GET", path, { headers: browser })).json, 2)
        assert.strictEqual((yield* request("PATCH", one, { ...admin, body: { role: "owner" } })).status, 422)
        const nobody = yield* request("POST", path, { ...admin, body: { user_id: randomUUID(), role: "viewer" } })
        assert.strictEqual(nobody.json.details.issues[0].path, "user_id")
        const elsewhere = yield* freshProject()
        const stranger = yield* freshKey({ roles: { [elsewhere.id]: "admin" } })
        const foreign = `/projects/${elsewhere.slug}/memberships/${granted.json.id}`
        assert.strictEqual((yield* request("PATCH", foreign, { ...stranger, body: { role: "viewer" } })).status, 404)
        assert.strictEqual((yield* request("DELETE", foreign, stranger)).status, 404)
        assert.strictEqual((yield* request("DELETE", one, admin)).status, 204)
        assert.strictEqual((yield* see).status, 404)
      }))
  })
})
