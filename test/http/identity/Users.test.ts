import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { UserId } from "../../../src/domain/kernel/Id.ts"
import { Users } from "../../../src/services/identity/Users.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { brainOn, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientOf, clientOfGlobalAdmin, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { idOf } from "../../ids.ts"
import { freshPostgres } from "../../postgres.ts"
import { newUser } from "../payloads.ts"
import { clientInBrowser, freshUser, login, password, proxied } from "../people.ts"

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
        const readFailure = <A, E>(change: Effect.Effect<A, E, CurrentActor>) =>
          Effect.match(change, { onSuccess: () => null, onFailure: (failure) => failure })
        const ends = yield* Effect.all([
          readFailure(
            Effect.asVoid(round % 2 === 0 ? remove(a.user_id) : update(a.user_id, { ...changes, is_admin: false }))
          ),
          readFailure(elsewhere.update(b.user_id, { ...changes, is_active: false }))
        ], { concurrency: "unbounded" })
        const left = (yield* list(10, 0)).filter((user) => user.is_admin && user.is_active)
        assert.lengthOf(left, 1)
        assert.deepInclude(ends.find((end) => end !== null), { _tag: "Conflict", code: "last_admin" })
      }
    }).pipe(Effect.provideService(CurrentActor, system("test"))))
})

describe.each(laneEngines)("users on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("a global admin makes, finds, changes and deletes people", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const { users } = yield* clientWith({ token })
        const created = yield* request("POST", "/users", {
          token,
          body: { email: "Ada@Example.com", first_name: "Ada", password }
        })
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
        const again = users.create({ payload: newUser({ email: "ADA@example.COM" }) })
        yield* assertRefused(again, "email_taken")
        const path = { user_id: idOf(UserId, created.json.id) }
        assert.deepStrictEqual(yield* users.get({ path }), created.json)
        assert.strictEqual((yield* request("GET", `/users/${created.json.id.toUpperCase()}`, { token })).status, 200)
        assert.strictEqual((yield* login("ada@example.com")).status, 200)
        const changed = yield* users.update({ path, payload: { is_admin: true, last_name: "Lovelace" } })
        assert.deepInclude(changed, { is_admin: true, first_name: "Ada", last_name: "Lovelace" })
        const list = yield* users.list({ urlParams: { limit: 1, offset: 0 } })
        assert.deepStrictEqual(list.map(({ id }) => id), [path.user_id])
        yield* users.delete({ path })
        yield* assertRefused(users.get({ path }), "not_found")
        yield* assertRefused(users.delete({ path }), "not_found")
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
          const response = yield* request(method, path, { token, ...(body === undefined ? {} : { body }) })
          assert.deepInclude(response.json, { status: 422, code: "validation_failed" }, path)
          assert.strictEqual(response.json.details.issues[0].path, field)
        }
        for (const [method, path] of [["GET", ""], ["PATCH", ""], ["POST", "/password"]] as const) {
          const body = method === "GET" ? {} : { body: { new_password: password } }
          assert.strictEqual((yield* request(method, `/users/${randomUUID()}${path}`, { token, ...body })).status, 404)
        }
      }))

    it.effect("who is made inactive is out at once, and stays out when made active again", () =>
      Effect.gen(function*() {
        const { users } = yield* clientOfGlobalAdmin
        const user = yield* freshUser()
        const { auth } = yield* clientInBrowser(user)
        const setActive = (is_active: boolean) => users.update({ path: { user_id: user.id }, payload: { is_active } })
        assert.strictEqual((yield* setActive(false)).is_active, false)
        yield* assertRefused(auth.me(), "unauthenticated")
        assert.strictEqual((yield* login(user.email)).status, 401)
        yield* setActive(true)
        yield* assertRefused(auth.me(), "unauthenticated")
        assert.strictEqual((yield* login(user.email)).status, 200)
      }))

    it.effect("a password set by an admin opens a locked account and ends its sessions", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { users } = yield* clientOfGlobalAdmin
        const user = yield* freshUser()
        const { auth } = yield* clientInBrowser(user)
        yield* sql`UPDATE users SET failed_logins = 10, locked_until = '2999-01-01T00:00:00.000000Z' WHERE id = ${user.id}`
        const payload = { new_password: Redacted.make("set by an admin") }
        yield* users.setPassword({ path: { user_id: user.id }, payload })
        yield* assertRefused(auth.me(), "unauthenticated")
        assert.strictEqual((yield* login(user.email)).status, 401)
        assert.strictEqual((yield* login(user.email, { password: "set by an admin" })).status, 200)
      }))

    it.effect("a global admin's own password, set there, keeps the session that asks and ends the others", () =>
      Effect.gen(function*() {
        const user = yield* freshUser({ isAdmin: true })
        const [own, other] = [yield* clientInBrowser(user), yield* clientInBrowser(user)]
        const payload = { new_password: Redacted.make("set by themselves") }
        yield* own.users.setPassword({ path: { user_id: user.id }, payload })
        yield* own.auth.me()
        yield* assertRefused(other.auth.me(), "unauthenticated")
        assert.strictEqual((yield* login(user.email, { password: "set by themselves" })).status, 200)
      }))

    it.effect("one admin always stays, also when two are taken away at once", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [one, two] = [yield* freshUser({ isAdmin: true }), yield* freshUser({ isAdmin: true })]
        yield* sql`UPDATE users SET is_admin = 0 WHERE id NOT IN (${one.id}, ${two.id})`
        const [first, second] = [
          yield* clientInBrowser(one),
          yield* clientInBrowser(two)
        ]
        const race = yield* Effect.all([
          second.users.update({ path: { user_id: one.id }, payload: { is_admin: false } }),
          first.users.delete({ path: { user_id: two.id } })
        ], { concurrency: "unbounded", mode: "either" })
        const admins = yield* sql<{ id: string }>`SELECT id FROM users WHERE is_admin = 1 AND is_active = 1`
        assert.lengthOf(admins, 1, JSON.stringify(race))
        const [left, { users }] = admins[0]?.id === one.id ? [one, first] : [two, second]
        const path = { user_id: left.id }
        yield* assertRefused(users.update({ path, payload: { is_admin: false } }), "last_admin")
        yield* assertRefused(users.update({ path, payload: { is_active: false } }), "last_admin")
        yield* assertRefused(users.delete({ path }), "last_admin")
        assert.strictEqual((yield* users.update({ path, payload: { first_name: "Last" } })).first_name, "Last")
      }))
  })

  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("a project's admin grants, changes and revokes roles", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const key = yield* freshKey({ roles: { [project.id]: "admin" } })
        const { memberships } = yield* clientWith(key)
        const user = yield* freshUser()
        const browser = yield* clientInBrowser(user)
        const path = { slug: project.slug }
        const see = browser.project.get({ path })
        yield* assertRefused(see, "not_found")
        const granted = yield* memberships.grant({ path, payload: { user_id: user.id, role: "viewer" } })
        assert.deepInclude(granted, {
          user_id: user.id,
          project_id: project.id,
          user_email: user.email,
          user_display_name: "A Person",
          role: "viewer"
        })
        assert.strictEqual((yield* see).id, project.id)
        assert.deepStrictEqual((yield* browser.auth.me()).memberships, [
          { project_id: project.id, project_slug: project.slug, role: "viewer" }
        ])
        const again = memberships.grant({ path, payload: { user_id: user.id, role: "admin" } })
        yield* assertRefused(again, "already_member")
        const one = { ...path, membership_id: granted.id }
        assert.strictEqual((yield* memberships.update({ path: one, payload: { role: "admin" } })).role, "admin")
        assert.lengthOf(yield* browser.memberships.list({ path }), 2)
        const membershipPath = `/projects/${project.slug}/memberships/${granted.id}`
        assert.strictEqual((yield* request("PATCH", membershipPath, { ...key, body: { role: "owner" } })).status, 422)
        const unknownUser = { user_id: idOf(UserId, randomUUID()), role: "viewer" } as const
        const refusal = yield* Effect.flip(memberships.grant({ path, payload: unknownUser }))
        assert.strictEqual(refusal._tag === "ValidationFailed" && refusal.issues[0]?.path, "user_id")
        const elsewhere = yield* freshProject()
        const stranger = yield* clientOf("admin", elsewhere)
        const foreign = { slug: elsewhere.slug, membership_id: granted.id }
        const changed = stranger.memberships.update({ path: foreign, payload: { role: "viewer" } })
        yield* assertRefused(changed, "not_found")
        const deleted = stranger.memberships.delete({ path: foreign })
        yield* assertRefused(deleted, "not_found")
        yield* memberships.delete({ path: one })
        yield* assertRefused(see, "not_found")
      }))
  })
})
