import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Role, Scope } from "../../../src/domain/kernel/Access.ts"
import type { UserId } from "../../../src/domain/kernel/Id.ts"
import { freshKey, freshProject, serverOn } from "../../brain.ts"
import { assertRefused, type Client, clientOfGlobalAdmin, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { newInvitation, newUser } from "../payloads.ts"
import { freshUser, login, proxied } from "../people.ts"

/** What a role can use. A viewer writes subscriptions and saved views of their own. */
const scopesOfViewer: ReadonlyArray<Scope> = [
  "agents:read",
  "automation:read",
  "commands:read",
  "deploys:read",
  "notifications:read",
  "notifications:write",
  "projects:read",
  "queues:read",
  "schedules:read",
  "tasks:read",
  "tasks:write",
  "workers:read"
]
const scopesOfOperator: ReadonlyArray<Scope> = [
  ...scopesOfViewer,
  "automation:write",
  "commands:write",
  "deploys:write",
  "schedules:write"
]
const newPassword = { new_password: Redacted.make("set by a script of ours") }

describe.each(laneEngines)("what a key gives to others on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("users:write neither creates a global admin nor touches one", () =>
      Effect.gen(function*() {
        const admin = yield* freshUser({ isAdmin: true })
        const inactive = yield* freshUser({ isAdmin: true })
        const all = yield* clientOfGlobalAdmin
        const person = yield* freshUser()
        const ofInactive = { user_id: inactive.id }
        const ofAdmin = { user_id: admin.id }
        const path = { user_id: person.id }
        yield* all.users.update({ path: ofInactive, payload: { is_active: false } })
        const writer = yield* clientWith(yield* freshKey({ isAdmin: true, scopes: ["users:read", "users:write"] }))
        const elsewhere = yield* freshProject()
        const bound = yield* clientWith(yield* freshKey({ isAdmin: true, boundTo: elsewhere.id }))
        for (const { users } of [writer, bound]) {
          const tries = [
            users.create({ payload: newUser({ is_admin: true }) }),
            users.update({ path, payload: { is_admin: true } }),
            users.update({ path: ofAdmin, payload: { is_admin: false } }),
            users.update({ path: ofAdmin, payload: { is_active: false } }),
            users.update({ path: ofAdmin, payload: { first_name: "Mallory" } }),
            users.update({ path: ofInactive, payload: { is_active: true } }),
            users.setPassword({ path: ofAdmin, payload: newPassword }),
            users.delete({ path: ofAdmin })
          ]
          for (const one of tries) yield* assertRefused(one, "scope_missing")
        }
        assert.strictEqual((yield* login(admin.email)).status, 200)
        assert.isFalse((yield* writer.users.get({ path })).is_admin)
        const same = yield* writer.users.update({ path, payload: { is_admin: false, first_name: "Ada" } })
        assert.deepInclude(same, { first_name: "Ada", is_admin: false })
        yield* writer.users.setPassword({ path, payload: newPassword })
        yield* all.users.update({ path: ofAdmin, payload: { first_name: "Ada" } })
        yield* writer.users.delete({ path })
      }))

    it.effect("users:write sets no password of a person who may do what the key may not", () =>
      Effect.gen(function*() {
        const [project, elsewhere] = [yield* freshProject(), yield* freshProject()]
        const operator = yield* freshUser({ roles: { [project.slug]: "operator" } })
        const set = (scopes: ReadonlyArray<Scope>, boundTo?: string) =>
          Effect.gen(function*() {
            const key = yield* freshKey({ isAdmin: true, scopes, ...(boundTo !== undefined && { boundTo }) })
            const { users } = yield* clientWith(key)
            return yield* users.setPassword({ path: { user_id: operator.id }, payload: newPassword })
          })
        const enough: ReadonlyArray<Scope> = ["users:write", ...scopesOfOperator]
        yield* assertRefused(set(["users:write"]), "scope_missing")
        yield* assertRefused(set(["users:write", ...scopesOfViewer]), "scope_missing")
        yield* assertRefused(set(enough, elsewhere.id), "scope_missing")
        assert.strictEqual((yield* login(operator.email)).status, 200)
        yield* set(enough)
      }))

    it.effect("memberships:write gives no role that the key could not play itself", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const [first, second] = [yield* freshUser(), yield* freshUser()]
        const clientOfScopes = (scopes: ReadonlyArray<Scope>) =>
          Effect.flatMap(freshKey({ roles: { [project.id]: "admin" }, scopes }), clientWith)
        const alone = yield* clientOfScopes(["memberships:write"])
        const reader = yield* clientOfScopes(["memberships:write", ...scopesOfViewer])
        const operator = yield* clientOfScopes(["memberships:write", ...scopesOfOperator])
        const admin = yield* clientOfScopes(["admin:*"])
        const path = { slug: project.slug }
        const grant = ({ memberships }: Client, user_id: UserId, role: Role) =>
          memberships.grant({ path, payload: { user_id, role } })
        const invite = ({ invitations }: Client, role: Role) =>
          invitations.create({ path, payload: newInvitation({ role }) })

        yield* assertRefused(grant(alone, first.id, "viewer"), "scope_missing")
        yield* assertRefused(invite(alone, "viewer"), "scope_missing")
        yield* assertRefused(grant(reader, first.id, "operator"), "scope_missing")
        yield* assertRefused(invite(reader, "operator"), "scope_missing")
        yield* assertRefused(grant(operator, first.id, "admin"), "scope_missing")
        yield* assertRefused(invite(operator, "admin"), "scope_missing")
        assert.include((yield* Effect.flip(grant(reader, first.id, "operator"))).message, "commands:write")

        const viewer = yield* grant(reader, first.id, "viewer")
        yield* grant(operator, second.id, "operator")
        yield* invite(operator, "operator")
        const one = { ...path, membership_id: viewer.id }
        const change = ({ memberships }: Client, role: Role) => memberships.update({ path: one, payload: { role } })
        yield* assertRefused(change(reader, "operator"), "scope_missing")
        yield* change(admin, "admin")
        // taking a role away gives nothing
        yield* change(reader, "viewer")
        yield* alone.memberships.delete({ path: one })
      }))
  })
})
