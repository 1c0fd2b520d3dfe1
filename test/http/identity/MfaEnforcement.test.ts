import { SqlClient } from "@effect/sql"
import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { readFileSync } from "node:fs"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { accessRules } from "../../../src/http/AccessRules.ts"
import { Authentication } from "../../../src/services/identity/Authentication.ts"
import { Settings } from "../../../src/services/kernel/Settings.ts"
import { Hints } from "../../../src/services/kernel/sql/Database.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { actionsOf, after, ask, back, type Browser, codeOf, enrolled, loginFrom, nextCode } from "../mfa.ts"
import { freshUser, fromElsewhere, login, password, proxied } from "../people.ts"

const day = 86_400

const admin = freshUser({ isAdmin: true })

const enforcementOf = (userId: string) =>
  Effect.map(actionsOf(userId), (actions) => actions.filter((action) => action.startsWith("auth.mfa_enforcement")))

const anchorOf = (userId: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<
      { at: Timestamp.Timestamp | null }
    >`SELECT mfa_enforcement_started_at AS at FROM users WHERE id = ${userId}`
    return row?.at ?? null
  }).pipe(Effect.orDie)

/** What a session may do, shown by the response to a call outside of the allowlist. */
const isUnrestricted = (browser: Browser) =>
  Effect.map(ask(browser, "GET", "/projects"), ({ status }) => status === 200)

/** A user whose deadline has passed, signed in within the grace. */
const overdue = Effect.gen(function*() {
  const user = yield* admin
  const { browser } = yield* loginFrom({}, user.email)
  yield* back("users", "mfa_enforcement_started_at", user.id, 7 * day)
  return { user, browser }
})

/** Enrols in a browser, as a person does. */
const enrol = (browser: Browser) =>
  Effect.gen(function*() {
    const { json } = yield* ask(browser, "POST", "/auth/mfa/enroll-start")
    const secret: string = json.secret_base32
    const completed = yield* ask(browser, "POST", "/auth/mfa/enroll-complete", { code: yield* codeOf(secret) })
    assert.strictEqual(completed.status, 200, completed.text)
    return { browser: after(browser, completed), secret }
  })

// the rows of the table "MFA enforcement (per user)", in its order
describe.each(laneEngines)("enforcement for admins on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, mfaEnforceForAdmins: true }), { excludeTestServices: true })((it) => {
    it.effect("untargeted, login: in grace, the anchor stamped once", () =>
      Effect.gen(function*() {
        const user = yield* admin
        assert.isNull(yield* anchorOf(user.id))
        const first = yield* loginFrom({}, user.email)
        const anchor = yield* anchorOf(user.id)
        assert.isNotNull(anchor)
        const deadline = anchor === null ? null : Timestamp.addSeconds(anchor, 7 * day)
        assert.deepInclude(first.response.json, {
          mfa_required: false,
          mfa_enrollment_required: true,
          mfa_enrollment_deadline: deadline
        })
        assert.isTrue(yield* isUnrestricted(first.browser))
        const status = yield* ask(first.browser, "GET", "/auth/mfa/status")
        assert.deepInclude(status.json, { enrolled: false, enrollment_required: true, enrollment_deadline: deadline })
        const second = yield* loginFrom({}, user.email)
        assert.strictEqual(second.response.json.mfa_enrollment_deadline, deadline)
        assert.deepStrictEqual(yield* enforcementOf(user.id), ["auth.mfa_enforcement_grace_started"])
      }))

    it.effect("untargeted, logins at the same time: one anchor, one audit row", () =>
      Effect.gen(function*() {
        const user = yield* admin
        const responses = yield* Effect.all([1, 2, 3].map(() => login(user.email)), { concurrency: "unbounded" })
        assert.strictEqual(new Set(responses.map(({ json }) => json.mfa_enrollment_deadline)).size, 1)
        assert.deepStrictEqual(yield* enforcementOf(user.id), ["auth.mfa_enforcement_grace_started"])
      }))

    it.effect("the policy is not theirs, or they are enrolled: nothing begins", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const { response } = yield* loginFrom({}, user.email)
        assert.deepInclude(response.json, { mfa_enrollment_required: false, mfa_enrollment_deadline: null })
        assert.isNull(yield* anchorOf(user.id))
        const sql = yield* SqlClient.SqlClient
        const has = yield* enrolled()
        yield* sql`UPDATE users SET is_admin = 1 WHERE id = ${has.id}`
        const again = yield* loginFrom({}, has.email)
        assert.deepInclude(again.response.json, { mfa_required: true, mfa_enrollment_required: false })
        assert.isNull(yield* anchorOf(has.id))
      }))

    it.effect("targeted while signed in: required without a deadline until the next login", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const { browser } = yield* loginFrom({}, user.email)
        yield* sql`UPDATE users SET is_admin = 1 WHERE id = ${user.id}`
        assert.deepInclude((yield* ask(browser, "GET", "/auth/mfa/status")).json, {
          enrollment_required: true,
          enrollment_deadline: null
        })
        assert.isTrue(yield* isUnrestricted(browser))
      }))

    it.effect("in grace, the deadline passes: the session that there is may do the allowlist and nothing else", () =>
      Effect.gen(function*() {
        const { browser, user } = yield* overdue
        const anchor = yield* anchorOf(user.id)
        const deadline = anchor === null ? null : Timestamp.addSeconds(anchor, 7 * day)
        const project = yield* freshProject()
        const allowed: Array<string> = []
        const uuid = "01900000-0000-7000-8000-000000000001"
        for (const [route, { caller }] of accessRules) {
          const [method = "", path = ""] = route.split(" ")
          if (caller === "public" || caller === "agent" || path === "/api/v1/auth/logout") continue
          const filled = path.replace(":slug", project.slug).replace(":engine", "celery").replaceAll(
            /(?<!:):[a-z_]+/g,
            uuid
          )
            .replace("::", ":")
          const { json, status } = yield* ask(browser, method, `/${filled}`)
          if (status === 403 && json.code === "mfa_enrollment_required") {
            assert.deepStrictEqual(json.details, { deadline }, route)
          } else allowed.push(route)
        }
        assert.sameMembers(allowed, [
          "GET /api/v1/auth/me",
          "GET /api/v1/auth/mfa/status",
          "POST /api/v1/auth/mfa/enroll-start",
          "POST /api/v1/auth/mfa/enroll-complete"
        ])
        assert.deepStrictEqual(
          yield* enforcementOf(user.id),
          ["auth.mfa_enforcement_grace_started"],
          "requests are not audited"
        )
        assert.strictEqual((yield* ask(browser, "POST", "/auth/logout")).status, 204)
      }))

    it.scoped("in grace, the deadline passes while a stream is open: it ends", () =>
      Effect.gen(function*() {
        const hints = yield* Hints
        const project = yield* freshProject()
        const user = yield* admin
        const { browser } = yield* loginFrom({}, user.email)
        const base = yield* baseUrl
        const openStream = () => fetch(`${base}/api/v1/projects/${project.slug}/stream`, { headers: { ...browser } })
        const stream = yield* Effect.promise(openStream)
        assert.strictEqual(stream.status, 200)
        const reader = stream.body?.getReader()
        assert.isFalse((yield* Effect.promise(async () => reader?.read()))?.done, "it says that it is there")
        yield* back("users", "mfa_enforcement_started_at", user.id, 7 * day)
        yield* hints.publish("access", user.id)
        yield* Effect.promise(async () => {
          while ((await reader?.read())?.done === false);
        })
        assert.strictEqual((yield* Effect.promise(openStream)).status, 403)
      }))

    it.effect("restricted, enrolment completed: everything again at the next request, without a login", () =>
      Effect.gen(function*() {
        const { browser } = yield* overdue
        assert.isFalse(yield* isUnrestricted(browser))
        const { browser: now } = yield* enrol(browser)
        assert.isTrue(yield* isUnrestricted(now))
        assert.deepInclude((yield* ask(now, "GET", "/auth/mfa/status")).json, {
          enrollment_required: false,
          enrollment_deadline: null
        })
      }))

    it.effect("restricted in an old session: it enrols all the same, without a login and without the password", () =>
      Effect.gen(function*() {
        const { browser, user } = yield* overdue
        yield* back("sessions", "proven_at", user.id, 900)
        const { browser: now } = yield* enrol(browser)
        assert.isTrue(yield* isUnrestricted(now))
      }))

    it.effect("in grace in an old session: enrolling wants the password again", () =>
      Effect.gen(function*() {
        const user = yield* admin
        const { browser } = yield* loginFrom({}, user.email)
        yield* back("sessions", "proven_at", user.id, 900)
        assert.deepInclude((yield* ask(browser, "POST", "/auth/mfa/enroll-start")).json, {
          code: "mfa_reverify_required"
        })
      }))

    it.effect("enrolled, disabled after the deadline: restricted at the next request, by the same anchor", () =>
      Effect.gen(function*() {
        const { browser, user } = yield* overdue
        const anchor = yield* anchorOf(user.id)
        const { browser: now, secret } = yield* enrol(browser)
        assert.strictEqual(yield* anchorOf(user.id), anchor, "enrolling clears nothing")
        const disabled = yield* ask(now, "POST", "/auth/mfa/disable", {
          password,
          code: yield* nextCode({ id: user.id, secret })
        })
        assert.strictEqual(disabled.status, 200)
        assert.isFalse(yield* isUnrestricted(after(now, disabled)))
        assert.strictEqual(yield* anchorOf(user.id), anchor)
      }))

    it.effect("restricted, login: it succeeds, says so, and each is audited", () =>
      Effect.gen(function*() {
        const { user } = yield* overdue
        for (const _ of [1, 2]) {
          const { browser, response } = yield* loginFrom({}, user.email)
          assert.strictEqual(response.status, 200)
          assert.isTrue(response.json.mfa_enrollment_required)
          assert.isBelow(Date.parse(response.json.mfa_enrollment_deadline), Date.now())
          assert.isFalse(yield* isUnrestricted(browser))
        }
        assert.deepStrictEqual(yield* enforcementOf(user.id), [
          "auth.mfa_enforcement_grace_started",
          "auth.mfa_enforcement_blocked",
          "auth.mfa_enforcement_blocked"
        ])
      }))

    it.effect("any, the operator relaxes the policy: unrestricted at the next request", () =>
      Effect.gen(function*() {
        const { browser } = yield* overdue
        const settings = yield* Settings
        const token = /svc_session=([\w-]+)/.exec(browser.cookie ?? "")?.[1] ?? ""
        const overdueSince = (policy: Partial<typeof settings>) =>
          Effect.gen(function*() {
            const found = yield* (yield* Authentication).findBySession(
              token,
              { source_ip: null, user_agent: null },
              false,
              null
            )
            const { via } = Option.getOrThrow(found).person
            return via.kind === "session" ? via.overdue_since : null
          }).pipe(
            Effect.provide(
              Authentication.Default.pipe(Layer.provide(Layer.succeed(Settings, { ...settings, ...policy })))
            )
          )
        assert.isNotNull(yield* overdueSince({}))
        assert.isNull(yield* overdueSince({ mfaEnforceForAdmins: false }), "no flag")
        assert.isNull(yield* overdueSince({ mfaEnrollmentGraceDays: 8 }), "a longer grace")
        assert.isNotNull(
          yield* overdueSince({ mfaEnforceForAdmins: false, mfaEnforceForAll: true }),
          "all users are a superset"
        )
      }))

    it.effect("an API key is not asked", () =>
      Effect.gen(function*() {
        const { token, user_id } = yield* freshKey({ isAdmin: true })
        yield* back("users", "mfa_enforcement_started_at", user_id, 90 * day)
        assert.strictEqual((yield* request("GET", "/users", { token })).status, 200)
      }))
  })
})

describe.each(laneEngines)("enforcement by the stored policy on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, mfaEnrollmentGraceDays: 0 }), { excludeTestServices: true })((it) => {
    it.effect("an admin who has a second factor requires it of everyone, and of nobody again", () =>
      Effect.gen(function*() {
        const set = (browser: Browser, required_for_all: boolean) =>
          ask(browser, "PATCH", "/admin/mfa-policy", { required_for_all })
        const without = (yield* loginFrom({}, (yield* admin).email)).browser
        assert.deepInclude((yield* set(without, true)).json, { status: 409, code: "mfa_not_enrolled" })
        const owner = yield* enrolled({ isAdmin: true })
        const { json: policy } = yield* set(owner.browser, true)
        assert.deepInclude(policy, { required_for_all: true, required_by_setting: false, required_for_admins: true })
        assert.strictEqual(policy.active_users - policy.active_users_without, 1)
        assert.isTrue(yield* isUnrestricted(owner.browser), "who required it can work on")
        assert.isTrue(yield* isUnrestricted(without), "others too, until they sign in again")
        const user = yield* freshUser()
        const { browser, response } = yield* loginFrom({}, user.email)
        assert.isTrue(response.json.mfa_enrollment_required)
        assert.isFalse(yield* isUnrestricted(browser))
        assert.isTrue((yield* ask(browser, "GET", "/auth/mfa/status")).json.enrollment_required)
        assert.isFalse((yield* set(owner.browser, false)).json.required_for_all)
        assert.isTrue(yield* isUnrestricted(browser), "at the next request")
        yield* set(owner.browser, true)
        assert.isTrue(yield* isUnrestricted(browser), "required anew: the grace begins at the next sign-in")
        yield* set(owner.browser, false)
        assert.deepStrictEqual(
          (yield* actionsOf(owner.id)).filter((action) => action === "auth.mfa_policy_changed").length,
          4
        )
      }))
  })
})

describe.each(laneEngines)("enforcement for all without grace on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, mfaEnforceForAll: true, mfaEnrollmentGraceDays: 0, mfaVerificationRate: 2 }), {
    excludeTestServices: true
  })((it) => {
    it.effect("restricts from the first login on, and enrolling there is the way out", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const { browser, response } = yield* loginFrom({}, user.email)
        assert.deepInclude(response.json, {
          mfa_enrollment_required: true,
          mfa_enrollment_deadline: yield* anchorOf(user.id)
        })
        assert.isFalse(yield* isUnrestricted(browser))
        assert.deepStrictEqual(yield* enforcementOf(user.id), [
          "auth.mfa_enforcement_grace_started",
          "auth.mfa_enforcement_blocked"
        ])
        assert.isTrue(yield* isUnrestricted((yield* enrol(browser)).browser))
      }))

    it.effect("the setting wins: the page says so, and nothing relaxes it", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const policy = yield* request("GET", "/admin/mfa-policy", { token })
        assert.deepInclude(policy.json, { required_for_all: true, required_by_setting: true, grace_days: 0 })
        const relaxed = yield* request("PATCH", "/admin/mfa-policy", { token, body: { required_for_all: false } })
        assert.deepInclude(relaxed.json, { status: 409, code: "mfa_required_by_setting" })
      }))

    it.effect("so many codes a minute of one address as the setting says", () =>
      Effect.gen(function*() {
        const { browser } = yield* loginFrom({}, (yield* freshUser()).email)
        const guess = request("POST", "/auth/mfa/enroll-complete", {
          headers: { ...fromElsewhere(), ...browser },
          body: { code: "123456" }
        })
        assert.deepStrictEqual([(yield* guess).status, (yield* guess).status, (yield* guess).status], [409, 409, 429])
      }))

    it.effect("a key cannot be made by who is restricted", () =>
      Effect.gen(function*() {
        const { browser } = yield* loginFrom({}, (yield* freshUser()).email)
        assert.deepInclude((yield* ask(browser, "POST", "/api-keys", { name: "way round" })).json, {
          code: "mfa_enrollment_required"
        })
      }))
  })
})

describe("docs/access.md", () => {
  plain("shows the same allowlist", () => {
    const rows = readFileSync("docs/access.md", "utf8").split("\n").filter((line) =>
      /^\| [A-Z]+ \|/.test(line) && line.includes("while restricted")
    )
    assert.deepStrictEqual(rows.map((line) => line.split("|").slice(1, 3).map((cell) => cell.trim()).join(" ")), [
      "POST `/auth/logout`",
      "GET `/auth/me`",
      "GET `/auth/mfa/status`",
      "POST `/auth/mfa/enroll-start`",
      "POST `/auth/mfa/enroll-complete`"
    ])
  })
})
