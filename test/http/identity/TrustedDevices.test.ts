import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { TrustedDevices } from "../../../src/services/identity/TrustedDevices.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { Retention } from "../../../src/services/operations/Retention.ts"
import { serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { actionsOf, after, ask, deviceCookie, enrolled, loginFrom, nextCode } from "../mfa.ts"
import { letInAs, password, proxied } from "../people.ts"

/** A user with a second factor, and another browser in which they gave it and asked to be remembered. */
const remembered = Effect.gen(function*() {
  const user = yield* enrolled()
  const { browser } = yield* loginFrom({ "user-agent": "Firefox on a train" }, user.email)
  const headers = { ...browser, "user-agent": "Firefox on a train" }
  const verified = yield* ask(headers, "POST", "/auth/mfa/verify", {
    code: yield* nextCode(user),
    remember_device: true
  })
  return { user, verified, browser: after(headers, verified) }
})

const isAsked = (browser: Parameters<typeof loginFrom>[0], email: string) =>
  Effect.map(loginFrom(browser, email), ({ response }) => response.json.mfa_required)

describe.each(laneEngines)("trusted devices on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, mfaTrustedDeviceDays: 12 }), { excludeTestServices: true })((it) => {
    it.effect("need no code at login, for as long as the setting says, and only for their owner", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { browser, user, verified } = yield* remembered
        assert.deepStrictEqual(
          (yield* actionsOf(user.id)).slice(-2),
          ["auth.mfa_verified", "auth.mfa_device_trusted"],
          "one after the other"
        )
        const cookie = verified.headers.getSetCookie().find((one) => one.startsWith("svc_device="))
        assert.match(cookie ?? "", /^svc_device=[\w-]{43}; Max-Age=1036800; Path=\/; HttpOnly; SameSite=Lax$/)
        assert.isFalse(yield* isAsked(browser, user.email))
        assert.isTrue(yield* isAsked({}, user.email), "another browser")
        assert.isTrue(yield* isAsked(browser, (yield* enrolled()).email), "another person")
        const stored = yield* sql`SELECT * FROM trusted_devices WHERE user_id = ${user.id}`
        assert.notInclude(JSON.stringify(stored), deviceCookie(browser) ?? "no cookie")
        yield* sql`UPDATE trusted_devices SET expires_at = ${yield* Timestamp.now} WHERE user_id = ${user.id}`
        assert.isTrue(yield* isAsked(browser, user.email), "it has run out")
      }))

    it.effect("are listed, renamed, and revoked by their owner", () =>
      Effect.gen(function*() {
        const { browser, user } = yield* remembered
        const list = (from: typeof browser) => ask(from, "GET", "/auth/mfa/trusted-devices")
        const [device] = (yield* list(browser)).json
        assert.hasAllKeys(device, [
          "id",
          "label",
          "created_at",
          "last_seen_at",
          "expires_at",
          "revoked_at",
          "is_current"
        ])
        assert.deepInclude(device, { label: "Firefox on a train", revoked_at: null, is_current: true })
        assert.isFalse((yield* list(user.browser)).json[0].is_current, "seen from elsewhere")
        const path = `/auth/mfa/trusted-devices/${device.id}`
        const renamed = yield* ask(browser, "PATCH", path, { label: "The old laptop" })
        assert.deepInclude(renamed.json, { id: device.id, label: "The old laptop", is_current: true })
        assert.strictEqual((yield* ask(browser, "PATCH", path, { label: "" })).status, 422)
        const stranger = yield* enrolled()
        for (
          const [method, at, body] of [["PATCH", path, { label: "mine" }], [
            "POST",
            `${path}/revoke`,
            undefined
          ]] as const
        ) {
          assert.strictEqual((yield* ask(stranger.browser, method, at, body)).status, 404)
        }
        assert.strictEqual((yield* ask(user.browser, "POST", `${path}/revoke`)).status, 204)
        assert.strictEqual((yield* ask(user.browser, "POST", `${path}/revoke`)).status, 204, "again changes nothing")
        assert.isNotNull((yield* list(browser)).json[0].revoked_at)
        assert.isTrue(yield* isAsked(browser, user.email))
        assert.deepStrictEqual((yield* actionsOf(device.id)).map((action) => action.replace("auth.mfa_device_", "")), [
          "trusted",
          "renamed",
          "revoked"
        ])
      }))

    it.effect("are made at a step-up too; the token of before is replaced", () =>
      Effect.gen(function*() {
        const { browser, user } = yield* remembered
        const created = yield* ask(browser, "POST", "/auth/mfa/trusted-devices")
        assert.strictEqual(created.status, 201)
        assert.deepInclude(created.json, { is_current: true, revoked_at: null })
        assert.isTrue(yield* isAsked(browser, user.email))
        assert.isFalse(yield* isAsked(after(browser, created), user.email))
      }))

    it.effect("are trusted no more once the password changes", () =>
      Effect.gen(function*() {
        const { browser, user } = yield* remembered
        const newPassword = "another horse, another battery"
        const changed = yield* ask(browser, "POST", "/auth/change-password", {
          current_password: password,
          new_password: newPassword
        })
        assert.strictEqual(changed.status, 200)
        assert.isFalse(changed.json.mfa_required, "the browser that changed it has given the factor")
        const [device] = (yield* ask(after(browser, changed), "GET", "/auth/mfa/trusted-devices")).json
        assert.isNotNull(device.revoked_at)
        assert.include(yield* actionsOf(user.id), "user.password_changed")
      }))

    it.effect("are not made by a request that was let in before its session or the factor ended", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const devices = yield* TrustedDevices
        const { user } = yield* remembered
        const trust = Effect.provideService(devices.create(null), CurrentActor, yield* letInAs(user))
        assert.strictEqual((yield* trust).device.revoked_at, null)
        yield* sql`UPDATE users SET mfa_enrolled_at = NULL WHERE id = ${user.id}`
        assert.deepInclude(yield* Effect.flip(trust), { code: "mfa_not_enrolled" })
        yield* sql`UPDATE sessions SET revoked_at = ${yield* Timestamp.now} WHERE user_id = ${user.id}`
        assert.deepInclude(yield* Effect.flip(trust), { _tag: "Unauthenticated" })
      }))

    it.effect("are forgotten some time after they ended", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const retention = yield* Retention
        const { user } = yield* remembered
        const count = Effect.map(sql`SELECT id FROM trusted_devices WHERE user_id = ${user.id}`, (rows) => rows.length)
        const daysAgo = (days: number) => Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, -days * 86_400))
        yield* sql`UPDATE trusted_devices SET expires_at = ${yield* daysAgo(29)} WHERE user_id = ${user.id}`
        yield* retention.sweep()
        assert.strictEqual(yield* count, 1)
        yield* sql`UPDATE trusted_devices SET expires_at = ${yield* daysAgo(31)} WHERE user_id = ${user.id}`
        yield* retention.sweep()
        assert.strictEqual(yield* count, 0)
      }))
  })
})
