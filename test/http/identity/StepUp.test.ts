import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessRules } from "../../../src/http/AccessRules.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { actionsOf, after, ask, back, type Browser, enrolled, loginFrom, nextCode } from "../mfa.ts"
import { freshUser, password, proxied } from "../people.ts"

/** Where a stolen session could do lasting harm. */
const guarded = [
  "POST /auth/mfa/enroll-start",
  "POST /auth/mfa/disable",
  "POST /auth/mfa/recovery-codes/regenerate",
  "POST /auth/mfa/trusted-devices",
  "POST /api-keys",
  "PATCH /api-keys/:key_id",
  "POST /projects/:slug/memberships",
  "PATCH /projects/:slug/memberships/:membership_id",
  "POST /projects/:slug/invitations",
  "POST /projects/:slug/agents",
  "DELETE /projects/:slug/agents/:agent_id",
  "DELETE /projects/:slug",
  "POST /projects/:slug/notifications/channels",
  "POST /projects/:slug/notifications/channels/import_from_user",
  "PATCH /projects/:slug/notifications/channels/:channel_id",
  "DELETE /projects/:slug/notifications/channels/:channel_id",
  "POST /projects/:slug/schedules",
  "PATCH /projects/:slug/schedules/:schedule_id",
  "DELETE /projects/:slug/schedules/:schedule_id",
  "POST /projects/:slug/schedules::import",
  "POST /projects/:slug/schedules/native-operations",
  "POST /projects/:slug/commands/purge-queue",
  "POST /projects/:slug/tasks/bulk-delete",
  "POST /projects/:slug/bulk-jobs::delete",
  "POST /users",
  "PATCH /users/:user_id",
  "DELETE /users/:user_id",
  "POST /users/:user_id/password"
]

const mintKey = (browser: Browser) => ask(browser, "POST", "/api-keys", { name: "key" })

/** Signed in longer ago than the window. */
const stale = (userId: string) => back("sessions", "proven_at", userId, 301)

describe.each(laneEngines)("step-up on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, loginLockoutThreshold: 3 }), { excludeTestServices: true })((it) => {
    it.effect("is asked once the window of the login has passed", () =>
      Effect.gen(function*() {
        const user = yield* enrolled({ isAdmin: true })
        const { slug } = yield* freshProject()
        yield* back("sessions", "proven_at", user.id, 290)
        assert.strictEqual((yield* mintKey(user.browser)).status, 201, "within the window")
        yield* stale(user.id)
        for (const route of guarded) {
          const [method = "", path = ""] = route.split(" ")
          const target = path.replace(":slug", slug).replace(/:[a-z]+_id/, user.id).replace("::", ":") // no id is looked up before
          const { json } = yield* ask(user.browser, method, target, {})
          assert.deepInclude(json, { status: 403, code: "mfa_reverify_required", details: { by: "code" } }, route)
          assert.isTrue(accessRules.get(`${method} /api/v1${path}`)?.stepUp, "and the documents say so")
        }
        for (const change of [{ payload_role: "admin" }, { allowed_cidrs: null }, { approvals: null }]) {
          const { json } = yield* ask(user.browser, "PATCH", `/projects/${slug}`, change)
          assert.deepInclude(json, { status: 403, code: "mfa_reverify_required" }, JSON.stringify(change))
        }
        assert.strictEqual((yield* ask(user.browser, "PATCH", `/projects/${slug}`, { name: "n" })).status, 200)
        assert.strictEqual((yield* ask(user.browser, "GET", "/users")).status, 200, "reading is free")
      }))

    it.effect("is not asked of a person who may not do it anyway", () =>
      Effect.gen(function*() {
        const [mine, other] = [yield* freshProject(), yield* freshProject()]
        const user = yield* freshUser({ roles: { [mine.slug]: "operator" } })
        const { browser } = yield* loginFrom({}, user.email)
        yield* stale(user.id)
        const invite = (slug: string) =>
          ask(browser, "POST", `/projects/${slug}/invitations`, { email: "a@example.com" })
        assert.deepInclude((yield* invite(mine.slug)).json, { status: 403, code: "forbidden" })
        assert.deepInclude((yield* invite(other.slug)).json, { status: 404 })
      }))

    it.effect("is a code where there is a second factor; the password does not do", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        yield* stale(user.id)
        assert.deepInclude((yield* ask(user.browser, "POST", "/auth/reauthenticate", { password })).json, {
          status: 409,
          code: "mfa_enrolled"
        })
        const verified = yield* ask(user.browser, "POST", "/auth/mfa/verify", { code: yield* nextCode(user) })
        const browser = after(user.browser, verified)
        assert.strictEqual((yield* mintKey(browser)).status, 201)
        assert.strictEqual((yield* mintKey(user.browser)).status, 401, "the token is another one")
      }))

    it.effect("is the password where there is none; wrong ones lock the account", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const { browser } = yield* loginFrom({}, user.email)
        assert.strictEqual((yield* mintKey(browser)).status, 201, "a login is a step-up")
        yield* stale(user.id)
        assert.deepInclude((yield* mintKey(browser)).json, {
          code: "mfa_reverify_required",
          details: { by: "password" }
        })
        const proven = yield* ask(browser, "POST", "/auth/reauthenticate", { password })
        assert.deepStrictEqual(proven.json, { ok: true, used_recovery_code: false, remaining_recovery_codes: null })
        const now = after(browser, proven)
        assert.strictEqual((yield* mintKey(now)).status, 201)
        assert.strictEqual((yield* ask(browser, "GET", "/auth/me")).status, 401, "the token is another one")
        for (const guess of ["a", "b", "c"]) {
          assert.deepInclude((yield* ask(now, "POST", "/auth/reauthenticate", { password: guess })).json, {
            status: 403,
            code: "wrong_password"
          })
        }
        assert.deepInclude((yield* ask(now, "POST", "/auth/reauthenticate", { password })).json, {
          status: 403,
          code: "wrong_password"
        })
        assert.strictEqual((yield* loginFrom({}, user.email)).response.status, 401)
        assert.includeMembers(yield* actionsOf(user.id), ["auth.reauthenticated", "auth.account_locked"])
      }))

    it.effect("is no way to try more passwords than lock the account by sending them at once", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const { browser } = yield* loginFrom({}, user.email)
        const guesses = [...Array.from({ length: 12 }, (_, n) => `guess ${n}`), password]
        const responses = yield* Effect.forEach(
          guesses,
          (guess) => ask(browser, "POST", "/auth/reauthenticate", { password: guess }),
          {
            concurrency: "unbounded"
          }
        )
        assert.deepStrictEqual([...new Set(responses.map(({ json }) => json.code))], ["wrong_password"])
      }))

    it.effect("is not replaced by a trusted browser", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const trusted = after(user.browser, yield* ask(user.browser, "POST", "/auth/mfa/trusted-devices"))
        const { browser, response } = yield* loginFrom(trusted, user.email)
        assert.isFalse(response.json.mfa_required)
        assert.strictEqual((yield* ask(browser, "GET", "/projects")).status, 200)
        assert.deepInclude((yield* mintKey(browser)).json, { code: "mfa_reverify_required" })
      }))

    it.effect("is not asked of an API key", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const { user_id } = yield* freshKey()
        assert.strictEqual((yield* request("DELETE", `/users/${user_id}`, { token })).status, 204)
      }))
  })
})
