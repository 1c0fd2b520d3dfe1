import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Role } from "../../../src/domain/kernel/Access.ts"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { Users } from "../../../src/services/identity/Users.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { freshAgent } from "../../agent.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { fromElsewhere, proxied } from "../people.ts"

const everything = { purge: true, bulk_over: 1, destructive_rules: true }
const password = "correct horse battery staple"

/** A project with a policy, two admins who may approve and a global admin. */
const site = Effect.gen(function*() {
  const project = yield* freshProject()
  const keyOf = (role: Role, daysAgo?: number) =>
    freshKey({ roles: { [project.id]: role }, ...(daysAgo !== undefined && { daysAgo }) })
  const send = (key: { readonly token: string }, method: string, path: string, body?: unknown) =>
    request(method, path, { token: key.token, headers: fromElsewhere(), ...(body !== undefined && { body }) })
  const call = (key: { readonly token: string }, method: string, rest: string, body?: unknown) =>
    send(key, method, `/projects/${project.slug}${rest}`, body)
  const people = {
    first: yield* keyOf("admin"),
    second: yield* keyOf("admin"),
    root: yield* freshKey({ isAdmin: true })
  }
  const { agent_id } = yield* freshAgent(project)
  const patched = yield* call(people.first, "PATCH", "", { approvals: everything })
  assert.strictEqual(patched.status, 200, patched.text)
  const approvalIdOf = ({ json, text }: Pick<typeof patched, "json" | "text">) => {
    assert.strictEqual(json.code, "approval_required", text)
    return String(json.details.approval_id)
  }
  /** The approval of a purge that the person asks for. */
  const purge = (key: { readonly token: string }, queue = "slow") =>
    Effect.map(
      call(key, "POST", "/commands/purge-queue", { agent_id, queue, engine: "celery", force: true }),
      approvalIdOf
    )
  const approve = (key: { readonly token: string }, id: string) => call(key, "POST", `/approvals/${id}/approve`)
  return { ...people, project, keyOf, send, call, approvalIdOf, purge, approve }
})

describe.each(laneEngines)("four eyes on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("who became a decider after the request, or less than seven days before, cannot approve it", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { approve, call, first, keyOf, purge, second } = yield* site
        const young = yield* keyOf("admin", 6)
        const old = yield* keyOf("admin", 8)
        const id = yield* purge(first)
        const late = yield* keyOf("admin", 0)
        for (const key of [young, late]) {
          const refused = yield* approve(key, id)
          assert.deepInclude(refused.json, { status: 403, code: "decider_too_new" }, refused.text)
          assert.match(refused.json.detail, /You decide here since 20.*7 days/)
          assert.strictEqual((yield* call(second, "GET", `/approvals/${id}`)).json.status, "pending")
        }
        assert.strictEqual((yield* approve(old, id)).json.status, "approved")
        const [row] = yield* sql<{ metadata: string; since: string }>`SELECT a.metadata, m.created_at AS since
          FROM audit_log a, memberships m WHERE a.action = 'approval.approved' AND a.target_id = ${id}
            AND m.user_id = ${old.user_id}`
        const metadata = typeof row?.metadata === "string" ? JSON.parse(row.metadata) : row?.metadata
        assert.strictEqual(metadata.decides_since, row?.since)
      }))

    it.effect("no decider is created without a second person while there is a policy", () =>
      Effect.gen(function*() {
        const { approvalIdOf, approve, call, first, keyOf, purge, root, second, send } = yield* site
        const operator = yield* keyOf("operator")
        const outsider = yield* freshKey()
        const members = (yield* call(first, "GET", "/memberships")).json
        const { id } = members.find(({ user_id }: { readonly user_id: string }) => user_id === operator.user_id)

        // other roles do not wait
        assert.strictEqual((yield* call(first, "PATCH", `/memberships/${id}`, { role: "viewer" })).status, 200)
        const invited = yield* call(first, "POST", "/invitations", { email: "b@example.com", role: "operator" })
        assert.strictEqual(invited.status, 201, invited.text)

        const promotion = approvalIdOf(yield* call(first, "PATCH", `/memberships/${id}`, { role: "admin" }))
        const grant = approvalIdOf(
          yield* call(first, "POST", "/memberships", { user_id: outsider.user_id, role: "admin" })
        )
        const invitation = approvalIdOf(
          yield* call(first, "POST", "/invitations", { email: "a@example.com", role: "admin" })
        )
        const shown = (yield* call(first, "GET", `/approvals/${promotion}`)).json
        assert.deepInclude(shown.before, { role: "viewer", user_id: operator.user_id })
        assert.deepInclude(shown.after, { role: "admin", user_id: operator.user_id })

        const created = yield* send(root, "POST", "/users", { email: "c@example.com", password, is_admin: true })
        assert.strictEqual(created.json.code, "promote_instead", created.text)
        const user = approvalIdOf(yield* send(root, "PATCH", `/users/${outsider.user_id}`, { is_admin: true }))
        assert.isFalse((yield* send(root, "GET", `/users/${outsider.user_id}`)).json.is_admin)

        assert.strictEqual((yield* approve(second, promotion)).json.status, "approved")
        // the new admin decides since now
        const next = yield* purge(first)
        assert.strictEqual((yield* approve(operator, next)).json.code, "decider_too_new")
        assert.strictEqual((yield* approve(second, grant)).json.status, "approved")
        const accepted = (yield* approve(second, invitation)).json
        assert.match(accepted.result.accept_url_path, /^\/invitation\?token=/)
        const stored = (yield* call(first, "GET", `/approvals/${invitation}`)).json
        assert.notProperty(stored.result, "accept_url_path", "the link is shown to the person who approves only")
        return { user }
      }))

    it.effect("a global admin is created by two global admins, and an account that was activated begins again", () =>
      Effect.gen(function*() {
        const { approvalIdOf, approve, first, keyOf, purge, root, second, send } = yield* site
        const otherRoot = yield* freshKey({ isAdmin: true })
        const person = yield* freshKey()
        const promotion = yield* send(root, "PATCH", `/users/${person.user_id}`, { is_admin: true })
        const id = approvalIdOf(promotion)
        const governing = promotion.json.detail.includes(id)
        assert.isTrue(governing)
        // filed in the oldest project with a policy, which need not be this one
        const [slug] = yield* Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql<
              { slug: string }
            >`SELECT p.slug FROM approvals a JOIN projects p ON p.id = a.project_id WHERE a.id = ${id}`
        )
        const path = `/projects/${slug?.slug}/approvals/${id}/approve`
        const admin = yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.gen(function*() {
            const [row] = yield* sql<{ id: string }>`SELECT project_id AS id FROM approvals WHERE id = ${id}`
            return yield* freshKey({ roles: { [String(row?.id)]: "admin" } })
          }))
        assert.strictEqual((yield* send(admin, "POST", path)).status, 403, "a project's admin makes no global admin")
        assert.strictEqual((yield* send(otherRoot, "POST", path)).json.status, "approved")
        assert.isTrue((yield* send(root, "GET", `/users/${person.user_id}`)).json.is_admin)
        const waiting = yield* purge(first)
        assert.strictEqual((yield* approve(person, waiting)).json.code, "decider_too_new")

        // an inactive admin who is activated, and one whose password another person has set, begin again
        const sleeper = yield* keyOf("admin")
        yield* send(root, "PATCH", `/users/${sleeper.user_id}`, { is_active: false })
        const activation = approvalIdOf(yield* send(root, "PATCH", `/users/${sleeper.user_id}`, { is_active: true }))
        const [filed] = yield* Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql<
              { id: string; slug: string }
            >`SELECT p.id, p.slug FROM approvals a JOIN projects p ON p.id = a.project_id
            WHERE a.id = ${activation}`
        )
        const bound = yield* freshKey({ isAdmin: true, boundTo: String(filed?.id) })
        const refused = yield* send(bound, "POST", `/projects/${filed?.slug}/approvals/${activation}/approve`)
        assert.strictEqual(refused.json.code, "scope_missing", "accounts are administered without a bound key")
        const set = yield* send(root, "POST", `/users/${second.user_id}/password`, { new_password: password })
        assert.strictEqual(set.status, 204, set.text)
        assert.strictEqual((yield* approve(second, waiting)).json.code, "decider_too_new")
      }))

    it.effect("the operator of the machine vouches for a new person, and it is in the audit log", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const users = yield* Users
        const alone = yield* freshProject()
        const admin = yield* freshKey({ roles: { [alone.id]: "admin" } })
        const colleague = yield* freshKey({ roles: { [alone.id]: "admin" }, daysAgo: 1 })
        const call = (key: { readonly token: string }, method: string, rest: string, body?: unknown) =>
          request(method, `/projects/${alone.slug}${rest}`, { token: key.token, ...(body !== undefined && { body }) })
        // global admins of other tests are second persons too
        yield* sql`UPDATE users SET is_admin = 0`
        const refused = yield* call(admin, "PATCH", "", { approvals: everything })
        assert.deepInclude(refused.json, { code: "no_second_person" })
        assert.include(refused.json.detail, "svc vouch")
        yield* Effect.provideService(users.vouch(colleague.user_id), CurrentActor, system("svc vouch"))
        assert.strictEqual((yield* call(admin, "PATCH", "", { approvals: everything })).status, 200)
        const { json } = yield* call(admin, "PATCH", "", { approvals: null })
        const approved = yield* call(colleague, "POST", `/approvals/${json.details.approval_id}/approve`)
        assert.strictEqual(approved.json.status, "approved", approved.text)
        const recorded = yield* sql<{ action: string; actor: string }>`SELECT action FROM audit_log
          WHERE target_id = ${colleague.user_id} AND action = 'user.vouched'`
        assert.lengthOf(recorded, 1)
      }))
  })
})
