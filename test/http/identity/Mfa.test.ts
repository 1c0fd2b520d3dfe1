import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { MfaReset } from "../../../src/services/identity/Mfa/Reset.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { actionsOf, after, ask, back, codeOf, enrolled, loginFrom, nextCode, wrongCode } from "../mfa.ts"
import { freshUser, fromElsewhere, password, proxied } from "../people.ts"

const outcomeOf = ({ json }: { readonly json: { readonly status: number; readonly code: string } }) =>
  `${json.status} ${json.code}`

describe.each(laneEngines)("the second factor on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, loginLockoutThreshold: 3 }), { excludeTestServices: true })((it) => {
    it.effect("is enrolled with a secret, a code of it, and ten recovery codes", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const { browser } = yield* loginFrom({}, user.email)
        const before = yield* ask(browser, "GET", "/auth/mfa/status")
        assert.deepStrictEqual(before.json, {
          enrolled: false,
          enrolled_at: null,
          remaining_recovery_codes: 0,
          enrollment_required: false,
          enrollment_deadline: null
        })
        assert.strictEqual(
          outcomeOf(yield* ask(browser, "POST", "/auth/mfa/enroll-complete", { code: "123456" })),
          "409 mfa_enrollment_expired"
        )
        const abandoned = yield* ask(browser, "POST", "/auth/mfa/enroll-start")
        const started = yield* ask(browser, "POST", "/auth/mfa/enroll-start")
        const secret: string = started.json.secret_base32
        assert.include(started.json.provisioning_url, `secret=${secret}`)
        const other = yield* codeOf(abandoned.json.secret_base32)
        assert.strictEqual(
          outcomeOf(yield* ask(browser, "POST", "/auth/mfa/enroll-complete", { code: other })),
          "403 wrong_code"
        )
        assert.strictEqual(
          (yield* ask(browser, "GET", "/auth/mfa/status")).json.enrolled,
          false,
          "a secret alone is no factor"
        )

        const completed = yield* ask(browser, "POST", "/auth/mfa/enroll-complete", { code: yield* codeOf(secret) })
        assert.strictEqual(completed.status, 200)
        assert.lengthOf(completed.json.recovery_codes, 10)
        const now = after(browser, completed)
        const status = yield* ask(now, "GET", "/auth/mfa/status")
        assert.deepInclude(status.json, { enrolled: true, remaining_recovery_codes: 10 })
        assert.match(status.json.enrolled_at, /Z$/)
        assert.strictEqual(outcomeOf(yield* ask(now, "POST", "/auth/mfa/enroll-start")), "409 mfa_enrolled")
        assert.strictEqual(
          outcomeOf(yield* ask(now, "POST", "/auth/mfa/enroll-complete", { code: yield* codeOf(secret, 1) })),
          "409 mfa_enrolled"
        )

        const stored = JSON.stringify([
          yield* sql`SELECT * FROM users WHERE id = ${user.id}`,
          yield* sql`SELECT * FROM mfa_recovery_codes WHERE user_id = ${user.id}`,
          yield* sql`SELECT * FROM audit_log`
        ])
        for (const hidden of [secret, ...completed.json.recovery_codes]) assert.notInclude(stored, hidden)
        const actions = yield* actionsOf(user.id)
        assert.includeMembers(actions, ["auth.mfa_enrollment_started", "auth.mfa_enrolled"])
      }))

    it.effect("waits ten minutes for its first code", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const { browser } = yield* loginFrom({}, user.email)
        const { json } = yield* ask(browser, "POST", "/auth/mfa/enroll-start")
        yield* back("users", "mfa_pending_at", user.id, 601)
        const late = yield* ask(browser, "POST", "/auth/mfa/enroll-complete", {
          code: yield* codeOf(json.secret_base32)
        })
        assert.strictEqual(outcomeOf(late), "409 mfa_enrollment_expired")
      }))

    it.effect("waits for no more wrong codes than a second factor takes", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const { browser } = yield* loginFrom({}, user.email)
        const { json } = yield* ask(browser, "POST", "/auth/mfa/enroll-start")
        const complete = (code: string) =>
          Effect.map(ask(browser, "POST", "/auth/mfa/enroll-complete", { code }), outcomeOf)
        const invalidCode = yield* wrongCode(json.secret_base32)
        const outcomes = yield* Effect.all([1, 2, 3, 4, 5].map(() => complete(invalidCode)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(outcomes.sort(), [
          "403 mfa_locked",
          "403 mfa_locked",
          "403 wrong_code",
          "403 wrong_code",
          "403 wrong_code"
        ])
        const again = yield* ask(browser, "POST", "/auth/mfa/enroll-start")
        const code = yield* codeOf(again.json.secret_base32)
        assert.strictEqual(yield* complete(code), "403 mfa_locked", "another secret is no way round it")
        assert.includeMembers(yield* actionsOf(user.id), ["auth.mfa_failed", "auth.mfa_locked"])
        yield* back("users", "mfa_locked_until", user.id, 1)
        assert.strictEqual((yield* ask(browser, "POST", "/auth/mfa/enroll-complete", { code })).status, 200)
      }))

    it.effect("is owed after a login: verify, me and logout, and nothing else", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const { browser, response } = yield* loginFrom({}, user.email)
        assert.deepInclude(response.json, { mfa_required: true, mfa_enrollment_required: false })
        assert.strictEqual((yield* ask(browser, "GET", "/auth/me")).json.email, user.email)
        for (
          const [method, path] of [
            ["GET", "/projects"],
            ["GET", "/auth/mfa/status"],
            ["POST", "/auth/mfa/enroll-start"],
            ["POST", "/auth/mfa/disable"],
            ["POST", "/auth/reauthenticate"],
            ["POST", "/auth/change-password"],
            ["GET", "/auth/sessions"],
            ["PATCH", "/auth/me"]
          ] as const
        ) {
          assert.strictEqual(outcomeOf(yield* ask(browser, method, path)), "401 mfa_required", path)
        }
        const verified = yield* ask(browser, "POST", "/auth/mfa/verify", { code: yield* nextCode(user) })
        assert.deepStrictEqual(verified.json, { ok: true, used_recovery_code: false, remaining_recovery_codes: 10 })
        assert.strictEqual((yield* ask(after(browser, verified), "GET", "/projects")).status, 200)
        assert.strictEqual((yield* ask(browser, "GET", "/auth/me")).status, 401, "the former token is invalid")
        const another = (yield* loginFrom({}, user.email)).browser
        assert.strictEqual((yield* ask(another, "POST", "/auth/logout")).status, 204)
      }))

    it.effect("is owed by the user's other sessions from the enrolment on", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const here = (yield* loginFrom({}, user.email)).browser
        const there = (yield* loginFrom({}, user.email)).browser
        const { json } = yield* ask(here, "POST", "/auth/mfa/enroll-start")
        const completed = yield* ask(here, "POST", "/auth/mfa/enroll-complete", {
          code: yield* codeOf(json.secret_base32)
        })
        assert.strictEqual(outcomeOf(yield* ask(there, "GET", "/projects")), "401 mfa_required")
        assert.strictEqual((yield* ask(after(here, completed), "GET", "/projects")).status, 200)
      }))

    it.effect("takes each code once, also when two come at the same time", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const browsers = yield* Effect.forEach([1, 2, 3], () =>
          Effect.map(loginFrom({}, user.email), ({ browser }) => browser))
        const together = (asking: typeof browsers, code: string | undefined) =>
          Effect.forEach(asking, (browser) =>
            ask(browser, "POST", "/auth/mfa/verify", { code }), { concurrency: "unbounded" })
        const responses = yield* together(browsers.slice(0, 2), yield* nextCode(user))
        assert.sameMembers(
          responses.map(({ status }) =>
            status
          ),
          [200, 403]
        )
        const owing = browsers.filter((_, index) => responses[index]?.status !== 200)
        assert.sameMembers((yield* together(owing, user.codes[0])).map(({ status }) => status), [200, 403])
      }))

    it.effect("may be a recovery code, once", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const [code = "", second = ""] = user.codes
        const one = yield* loginFrom({}, user.email)
        const used = yield* ask(one.browser, "POST", "/auth/mfa/verify", { code })
        assert.deepStrictEqual(used.json, { ok: true, used_recovery_code: true, remaining_recovery_codes: 9 })
        const two = yield* loginFrom({}, user.email)
        assert.strictEqual(outcomeOf(yield* ask(two.browser, "POST", "/auth/mfa/verify", { code })), "403 wrong_code")
        const browser = after(one.browser, used)
        const regenerating = ask(browser, "POST", "/auth/mfa/recovery-codes/regenerate")
        yield* Effect.all([regenerating, regenerating, regenerating], { concurrency: "unbounded" })
        const status = yield* ask(browser, "GET", "/auth/mfa/status")
        assert.strictEqual(status.json.remaining_recovery_codes, 10)
        const regenerated = yield* regenerating
        assert.lengthOf(regenerated.json.recovery_codes, 10)
        assert.strictEqual(
          outcomeOf(yield* ask(two.browser, "POST", "/auth/mfa/verify", { code: second })),
          "403 wrong_code"
        )
        const fresh = yield* ask(two.browser, "POST", "/auth/mfa/verify", { code: regenerated.json.recovery_codes[3] })
        assert.deepInclude(fresh.json, { used_recovery_code: true, remaining_recovery_codes: 9 })
        assert.include(yield* actionsOf(user.id), "auth.mfa_recovery_codes_regenerated")
      }))

    it.effect("is not guessed: after too many wrong codes none is taken for a while, wherever they come from", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const { browser } = yield* loginFrom({}, user.email)
        const code = yield* wrongCode(user.secret)
        for (let n = 0; n < 3; n++) {
          assert.strictEqual(outcomeOf(yield* ask(browser, "POST", "/auth/mfa/verify", { code })), "403 wrong_code")
        }
        assert.strictEqual(
          outcomeOf(yield* ask(browser, "POST", "/auth/mfa/verify", { code: yield* nextCode(user) })),
          "403 mfa_locked"
        )
        const [recovery = ""] = user.codes
        assert.strictEqual(
          outcomeOf(yield* ask(browser, "POST", "/auth/mfa/verify", { code: recovery })),
          "403 mfa_locked"
        )
        const again = yield* loginFrom({}, user.email)
        assert.strictEqual(again.response.status, 200, "a password says nothing about codes")
        assert.strictEqual(
          outcomeOf(yield* ask(again.browser, "POST", "/auth/mfa/verify", { code: yield* nextCode(user) })),
          "403 mfa_locked"
        )
        assert.deepStrictEqual((yield* actionsOf(user.id)).filter((action) => /mfa_(failed|locked)/.test(action)), [
          "auth.mfa_failed",
          "auth.mfa_failed",
          "auth.mfa_locked"
        ])
        yield* back("users", "mfa_locked_until", user.id, 1)
        assert.strictEqual(
          outcomeOf(yield* ask(again.browser, "POST", "/auth/mfa/verify", { code })),
          "403 wrong_code",
          "one more, and"
        )
        assert.strictEqual(
          outcomeOf(yield* ask(again.browser, "POST", "/auth/mfa/verify", { code: recovery })),
          "403 mfa_locked"
        )
        yield* back("users", "mfa_locked_until", user.id, 1)
        assert.strictEqual(
          (yield* ask(again.browser, "POST", "/auth/mfa/verify", { code: recovery })).status,
          200,
          "it was not spent"
        )
      }))

    it.effect("is not guessed by many at the same time either", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const { browser } = yield* loginFrom({}, user.email)
        const code = yield* wrongCode(user.secret)
        const guesses = [1, 2, 3, 4, 5, 6].map(() => ask(browser, "POST", "/auth/mfa/verify", { code }))
        const responses = yield* Effect.all(guesses, { concurrency: "unbounded" })
        const codes = responses.map(({ json }) => json.code).sort()
        assert.deepStrictEqual(codes, [
          "mfa_locked",
          "mfa_locked",
          "mfa_locked",
          "wrong_code",
          "wrong_code",
          "wrong_code"
        ])
      }))

    it.effect("ten codes a minute of one address, right or wrong", () =>
      Effect.gen(function*() {
        const { browser } = yield* loginFrom({}, (yield* freshUser()).email)
        const headers = { ...browser, ...fromElsewhere() }
        const statuses: Array<number> = []
        for (let n = 0; n < 11; n++) {
          statuses.push((yield* request("POST", "/auth/mfa/verify", { headers, body: { code: "123456" } })).status)
        }
        assert.deepStrictEqual(statuses, [...Array.from({ length: 10 }, () => 409), 429])
        const elsewhere = yield* ask(browser, "POST", "/auth/mfa/verify", { code: "123456" })
        assert.strictEqual(outcomeOf(elsewhere), "409 mfa_not_enrolled")
      }))

    it.effect("is taken away with password and code, and all that hangs on it", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const remembering = yield* loginFrom({}, user.email)
        const verified = yield* ask(remembering.browser, "POST", "/auth/mfa/verify", {
          code: yield* nextCode(user),
          remember_device: true
        })
        const device = after(remembering.browser, verified)
        const owing = (yield* loginFrom({}, user.email)).browser
        const disable = (body: object) => ask(user.browser, "POST", "/auth/mfa/disable", body)
        assert.strictEqual(
          outcomeOf(yield* disable({ password: "not it", code: yield* nextCode(user) })),
          "403 wrong_password"
        )
        assert.strictEqual(
          outcomeOf(yield* disable({ password, code: yield* wrongCode(user.secret) })),
          "403 wrong_code"
        )
        const disabled = yield* disable({ password, code: yield* nextCode(user) })
        assert.deepStrictEqual(disabled.json, { ok: true, used_recovery_code: false, remaining_recovery_codes: null })
        const browser = after(user.browser, disabled)
        assert.deepInclude((yield* ask(browser, "GET", "/auth/mfa/status")).json, {
          enrolled: false,
          remaining_recovery_codes: 0
        })
        assert.strictEqual(
          outcomeOf(yield* ask(owing, "GET", "/auth/me")),
          "401 unauthenticated",
          "it had shown a password only"
        )
        assert.strictEqual((yield* ask(device, "GET", "/projects")).status, 200)
        const devices = yield* ask(browser, "GET", "/auth/mfa/trusted-devices")
        assert.isTrue(devices.json.every((one: { revoked_at: string | null }) => one.revoked_at !== null))
        for (const path of ["/auth/mfa/recovery-codes/regenerate", "/auth/mfa/trusted-devices"]) {
          assert.strictEqual(outcomeOf(yield* ask(browser, "POST", path)), "409 mfa_not_enrolled")
        }
        assert.strictEqual((yield* loginFrom({}, user.email)).response.json.mfa_required, false)
        assert.include(yield* actionsOf(user.id), "auth.mfa_disabled")
      }))

    it.effect("is taken away from the command line for who lost it; their sessions end", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const trusted = after(user.browser, yield* ask(user.browser, "POST", "/auth/mfa/trusted-devices"))
        const reset = Effect.flatMap(MfaReset, (mfa) => mfa.reset(user)).pipe(
          Effect.provide(MfaReset.layer),
          Effect.provideService(CurrentActor, system("svc reset-mfa"))
        )
        assert.isTrue(yield* reset)
        assert.isFalse(yield* reset, "there is nothing left")
        assert.strictEqual((yield* ask(trusted, "GET", "/auth/me")).status, 401)
        const { browser, response } = yield* loginFrom(trusted, user.email)
        assert.isFalse(response.json.mfa_required)
        const devices = yield* ask(browser, "GET", "/auth/mfa/trusted-devices")
        assert.isNotNull(devices.json[0].revoked_at)
        assert.strictEqual(
          (yield* actionsOf(user.id)).filter((action) => action === "user.mfa_reset_by_admin").length,
          1
        )
      }))
  })
})
