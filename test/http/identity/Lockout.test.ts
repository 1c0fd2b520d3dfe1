import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { mailingServerOn, mailsTo, tokenIn } from "../../mailbox.ts"
import { after, ask, deviceCookie, enrolled, loginFrom, nextCode } from "../mfa.ts"
import { freshUser, login, password, proxied } from "../people.ts"

const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
const wrongPassword = { password: "wrong password" }

/** Guesses from so many addresses that no limit of one address holds them back. */
const guess = (email: string, times: number) =>
  Effect.forEach(
    Array.from({ length: times }, (_, index) => index),
    (index) => login(email, { ...wrongPassword, ...from(`198.51.100.${index + 1}`) }),
    { discard: true }
  )

describe.each(laneEngines)("the lock of an account on %s", (engine) => {
  layer(mailingServerOn(engine, { ...proxied, loginLockoutThreshold: 3 }), { excludeTestServices: true })((it) => {
    it.effect("does not lock out its owner at an address that the account used", () =>
      Effect.gen(function*() {
        const { email } = yield* freshUser()
        assert.strictEqual((yield* login(email, from("203.0.113.9"))).status, 200)
        yield* guess(email, 5)
        assert.strictEqual((yield* login(email, from("198.51.100.77"))).status, 401, "elsewhere it is locked")
        assert.strictEqual((yield* login(email, from("203.0.113.9"))).status, 200)
        assert.strictEqual((yield* login(email, from("198.51.100.78"))).status, 401, "still, after that sign-in")
      }))

    it.effect("gives that address no more guesses than others, and a lock of its own", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { email, id } = yield* freshUser()
        yield* login(email, from("203.0.113.10"))
        for (let n = 0; n < 3; n++) yield* login(email, { ...wrongPassword, ...from("203.0.113.10") })
        assert.strictEqual((yield* login(email, from("203.0.113.10"))).status, 401)
        assert.strictEqual((yield* login(email, from("203.0.113.11"))).status, 200, "elsewhere it is open")
        const [locked] = yield* sql<{ metadata: string }>`
          SELECT metadata FROM audit_log WHERE target_id = ${id} AND action = 'auth.account_locked'`
        assert.deepInclude(JSON.parse(locked?.metadata ?? ""), { locked: "address 203.0.113.10" })
        yield* sql`UPDATE login_places SET locked_until = '2020-01-01T00:00:00.000000Z' WHERE user_id = ${id}`
        assert.strictEqual((yield* login(email, from("203.0.113.10"))).status, 200)
      }))

    it.effect("forgets an address after 90 days without a sign-in", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { email, id } = yield* freshUser()
        yield* login(email, from("203.0.113.12"))
        yield* sql`UPDATE login_places SET seen_at = '2020-01-01T00:00:00.000000Z' WHERE user_id = ${id}`
        yield* guess(email, 3)
        assert.strictEqual((yield* login(email, from("203.0.113.12"))).status, 401)
      }))

    it.effect("is not for a browser that the account trusts", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const { email } = user
        const { browser } = yield* loginFrom({}, email)
        const code = yield* nextCode(user)
        const verified = yield* ask(browser, "POST", "/auth/mfa/verify", { code, remember_device: true })
        const device = `svc_device=${deviceCookie(after(browser, verified)) ?? "none"}`
        yield* guess(email, 3)
        const trusted = { headers: { "x-forwarded-for": "192.0.2.200", cookie: device } }
        assert.strictEqual((yield* login(email, trusted)).status, 200)
        const other = { headers: { "x-forwarded-for": "192.0.2.201", cookie: `${device}x` } }
        assert.strictEqual((yield* login(email, other)).status, 401)
      }))

    it.effect("a mailed link opens it, and keeps it open where the link was used", () =>
      Effect.gen(function*() {
        const { email } = yield* freshUser()
        yield* guess(email, 3)
        yield* request("POST", "/auth/password-reset/request", { body: { email }, ...from("192.0.2.50") })
        const [mail] = yield* mailsTo(email)
        const token = mail === undefined ? "" : tokenIn(mail)
        const new_password = `${password} again`
        const confirmed = yield* request("POST", "/auth/password-reset/confirm", {
          body: { token, new_password },
          ...from("192.0.2.51")
        })
        assert.strictEqual(confirmed.status, 200)
        yield* guess(email, 3)
        assert.strictEqual((yield* login(email, { password: new_password, ...from("192.0.2.52") })).status, 401)
        assert.strictEqual((yield* login(email, { password: new_password, ...from("192.0.2.51") })).status, 200)
      }))
  })
})
