import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Scope } from "../../src/domain/Access.ts"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import { engines } from "../databases.ts"
import { freshUser, login, password, proxied } from "./people.ts"

const readsOfViewer: ReadonlyArray<Scope> = [
  "agents:read",
  "commands:read",
  "projects:read",
  "queues:read",
  "tasks:read",
  "workers:read"
]
const newPassword = { new_password: "set by a script of ours" }

describe.each(engines)("what a key gives to others on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("users:write neither creates a global admin nor touches one", () =>
      Effect.gen(function*() {
        const admin = yield* freshUser({ isAdmin: true })
        const inactive = yield* freshUser({ isAdmin: true })
        const { token: all } = yield* freshKey({ isAdmin: true })
        yield* request("PATCH", `/users/${inactive.id}`, { token: all, body: { is_active: false } })
        const person = yield* freshUser()
        const { token } = yield* freshKey({ isAdmin: true, scopes: ["users:read", "users:write"] })
        const elsewhere = yield* freshProject()
        const bound = yield* freshKey({ isAdmin: true, boundTo: elsewhere.id })
        const created = { email: "made.by.a.key@example.com", password, is_admin: true }
        for (const key of [token, bound.token]) {
          const tries = [
            yield* request("POST", "/users", { token: key, body: created }),
            yield* request("PATCH", `/users/${person.id}`, { token: key, body: { is_admin: true } }),
            yield* request("PATCH", `/users/${admin.id}`, { token: key, body: { is_admin: false } }),
            yield* request("PATCH", `/users/${admin.id}`, { token: key, body: { is_active: false } }),
            yield* request("PATCH", `/users/${admin.id}`, { token: key, body: { first_name: "Mallory" } }),
            yield* request("PATCH", `/users/${inactive.id}`, { token: key, body: { is_active: true } }),
            yield* request("POST", `/users/${admin.id}/password`, { token: key, body: newPassword }),
            yield* request("DELETE", `/users/${admin.id}`, { token: key })
          ]
          for (const { json } of tries) assert.deepInclude(json, { status: 403, code: "scope_missing" })
        }
        assert.strictEqual((yield* login(admin.email)).status, 200)
        assert.deepInclude((yield* request("GET", `/users/${person.id}`, { token })).json, { is_admin: false })
        const same = yield* request("PATCH", `/users/${person.id}`, {
          token,
          body: { is_admin: false, first_name: "Ada" }
        })
        assert.deepInclude(same.json, { first_name: "Ada", is_admin: false })
        assert.strictEqual(
          (yield* request("POST", `/users/${person.id}/password`, { token, body: newPassword })).status,
          204
        )
        assert.strictEqual(
          (yield* request("PATCH", `/users/${admin.id}`, { token: all, body: { first_name: "Ada" } })).status,
          200
        )
        assert.strictEqual((yield* request("DELETE", `/users/${person.id}`, { token })).status, 204)
      }))

    it.effect("users:write sets no password of somebody who may do what the key may not", () =>
      Effect.gen(function*() {
        const [project, elsewhere] = [yield* freshProject(), yield* freshProject()]
        const operator = yield* freshUser({ roles: { [project.slug]: "operator" } })
        const set = (token: string) => request("POST", `/users/${operator.id}/password`, { token, body: newPassword })
        const alone = yield* freshKey({ isAdmin: true, scopes: ["users:write"] })
        const reader = yield* freshKey({ isAdmin: true, scopes: ["users:write", ...readsOfViewer] })
        const foreign = yield* freshKey({
          isAdmin: true,
          boundTo: elsewhere.id,
          scopes: ["users:write", "commands:write", ...readsOfViewer]
        })
        for (const { token } of [alone, reader, foreign]) {
          const refused = (yield* set(token)).json
          assert.strictEqual(refused.status, 403, JSON.stringify(refused))
        }
        assert.strictEqual((yield* login(operator.email)).status, 200)
        const able = yield* freshKey({ isAdmin: true, scopes: ["users:write", "commands:write", ...readsOfViewer] })
        assert.strictEqual((yield* set(able.token)).status, 204)
      }))

    it.effect("memberships:write gives no role that the key could not play itself", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const [first, second] = [yield* freshUser(), yield* freshUser()]
        const keyOf = (scopes: ReadonlyArray<Scope>) => freshKey({ roles: { [project.id]: "admin" }, scopes })
        const { token: alone } = yield* keyOf(["memberships:write"])
        const { token: reader } = yield* keyOf(["memberships:write", ...readsOfViewer])
        const { token: operator } = yield* keyOf(["memberships:write", "commands:write", ...readsOfViewer])
        const { token: admin } = yield* keyOf(["admin:*"])
        const members = `/projects/${project.slug}/memberships`
        const invitations = `/projects/${project.slug}/invitations`
        const grant = (token: string, user_id: string, role: string) =>
          request("POST", members, { token, body: { user_id, role } })
        const invite = (token: string, role: string) =>
          request("POST", invitations, { token, body: { email: `${role}@example.com`, role } })

        const refusals = [
          yield* grant(alone, first.id, "viewer"),
          yield* invite(alone, "viewer"),
          yield* grant(reader, first.id, "operator"),
          yield* invite(reader, "operator"),
          yield* grant(operator, first.id, "admin"),
          yield* invite(operator, "admin")
        ]
        for (const { json } of refusals) assert.deepInclude(json, { status: 403, code: "scope_missing" })
        assert.include(refusals[2]?.json.detail, "commands:write")

        const viewer = yield* grant(reader, first.id, "viewer")
        assert.strictEqual(viewer.status, 201, viewer.text)
        assert.strictEqual((yield* grant(operator, second.id, "operator")).status, 201)
        assert.strictEqual((yield* invite(operator, "operator")).status, 201)
        const one = `${members}/${viewer.json.id}`
        assert.deepInclude((yield* request("PATCH", one, { token: reader, body: { role: "operator" } })).json, {
          code: "scope_missing"
        })
        assert.strictEqual((yield* request("PATCH", one, { token: admin, body: { role: "admin" } })).status, 200)
        // taking a role away gives nothing to anybody
        assert.strictEqual((yield* request("PATCH", one, { token: reader, body: { role: "viewer" } })).status, 200)
        assert.strictEqual((yield* request("DELETE", one, { token: alone })).status, 204)
      }))
  })
})
