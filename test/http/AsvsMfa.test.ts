import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { system } from "../../src/domain/kernel/Actor.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { accessRules } from "../../src/http/AccessRules.ts"
import { PasswordResets } from "../../src/services/identity/PasswordResets.ts"
import { CurrentActor } from "../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { after, ask, back, type Browser, codeOf, enrolled, loginFrom, nextCode } from "./mfa.ts"
import { browserOf, freshUser, fromElsewhere, login, password, proxied } from "./people.ts"

/** A session as a program that knows no second factors would create it: with a row, and nothing more. */
const openedSomehow = (user_id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const token = yield* Ids.secret
    const row = {
      id: yield* Ids.next,
      user_id,
      token_hash: Ids.hashSecret(token),
      remember_me: 0,
      issued_at: now,
      last_seen_at: now
    }
    yield* sql`INSERT INTO sessions ${
      sql.insert({ ...row, expires_at: Timestamp.addSeconds(now, 60), ip_at_issue: "" })
    }`
    return { cookie: `svc_session=${token}` } satisfies Browser
  }).pipe(Effect.orDie)

/** OWASP ASVS 5.0, where it is about second factors, by number. */
describe.each(laneEngines)("ASVS on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("6.3.4 every way in asks the same, and there is no other", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const owed = (browser: Browser) => Effect.map(ask(browser, "GET", "/projects"), ({ json }) => json.code)
        for (const remember of [false, true]) {
          assert.strictEqual(yield* owed(browserOf(yield* login(user.email, { remember }))), "mfa_required")
        }
        assert.strictEqual(yield* owed(yield* openedSomehow(user.id)), "mfa_required", "whatever opens a session")
        const owing = (yield* loginFrom({}, user.email)).browser
        const joining = yield* ask(owing, "POST", "/invitations/accept", { token: "x" })
        assert.strictEqual(joining.json.code, "mfa_required", "where a session counts though none is needed")
        // the routes that need no credential; of these only the login responds with a session
        const publicRoutes = [...accessRules].filter(([, { caller }]) => caller === "public").map(([route]) => route)
          .sort()
        const cookies: Array<string> = []
        for (const route of publicRoutes) {
          const [method = "", path = ""] = route.split(" ")
          const response = yield* request(method, `/${path}`, {
            headers: fromElsewhere(),
            ...(method === "GET" ? {} : { body: { email: user.email, password, token: "x", new_password: password } })
          })
          if (response.headers.getSetCookie().length > 0) cookies.push(route)
        }
        assert.deepStrictEqual(cookies, ["POST /api/v1/auth/login"])
      }))

    it.effect("6.4.3 a password that was reset does not pass the second factor", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const trusted = after(user.browser, yield* ask(user.browser, "POST", "/auth/mfa/trusted-devices"))
        const { link } = yield* Effect.flatMap(PasswordResets, (resets) => resets.link(user.email)).pipe(
          Effect.provideService(CurrentActor, system("test"))
        )
        const token = new URL(link).searchParams.get("token")
        const next = "a password that was set again"
        const reset = yield* request("POST", "/auth/password-reset/confirm", {
          headers: fromElsewhere(),
          body: { token, new_password: next }
        })
        assert.strictEqual(reset.status, 200, reset.text)
        assert.deepStrictEqual(reset.headers.getSetCookie(), [], "it signs no one in")
        const headers = { ...fromElsewhere(), cookie: trusted.cookie ?? "" }
        const response = yield* login(user.email, { password: next, headers })
        assert.isTrue(response.json.mfa_required, "also in a browser that was trusted before")
        assert.strictEqual((yield* ask(browserOf(response), "GET", "/projects")).json.code, "mfa_required")
      }))

    it.effect("6.5.1 codes of both kinds are good once, whichever endpoint takes them", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const [recovery = ""] = user.codes
        for (const code of [yield* nextCode(user), recovery]) {
          const { browser } = yield* loginFrom({}, user.email)
          assert.strictEqual((yield* ask(browser, "POST", "/auth/mfa/verify", { code })).status, 200)
          const again = (yield* loginFrom({}, user.email)).browser
          assert.strictEqual((yield* ask(again, "POST", "/auth/mfa/verify", { code })).json.code, "wrong_code")
          const { json } = yield* ask(user.browser, "POST", "/auth/mfa/disable", { password, code })
          assert.strictEqual(json.code, "wrong_code")
        }
        const fresh = yield* freshUser()
        const { browser } = yield* loginFrom({}, fresh.email)
        const secret: string = (yield* ask(browser, "POST", "/auth/mfa/enroll-start")).json.secret_base32
        const code = yield* codeOf(secret)
        const completed = yield* ask(browser, "POST", "/auth/mfa/enroll-complete", { code })
        const replayed = yield* ask(after(browser, completed), "POST", "/auth/mfa/verify", { code })
        assert.strictEqual(replayed.json.code, "wrong_code", "the one that enrolled is spent too")
      }))

    it.effect("6.5.2 recovery codes have 112 bits and more, and are stored as hashes", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* enrolled()
        const letters = new Set("23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ")
        for (const code of user.codes) assert.isTrue([...code].every((letter) => letters.has(letter)), code)
        assert.isAtLeast(Math.min(...user.codes.map((code) => code.length)) * Math.log2(letters.size), 112)
        const rows = yield* sql<
          { code_hash: string }
        >`SELECT code_hash FROM mfa_recovery_codes WHERE user_id = ${user.id}`
        assert.sameMembers(rows.map(({ code_hash }) => code_hash), user.codes.map(Ids.hashSecret))
      }))

    it.effect("7.2.4 each proof gives the session another token, and ends the one before", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const seen = new Set<string>()
        const expectNew = (browser: Browser, response: Parameters<typeof after>[1]) =>
          Effect.gen(function*() {
            assert.strictEqual(response.status, 200, response.text)
            const next = after(browser, response)
            assert.isFalse(seen.has(next.cookie ?? ""))
            seen.add(next.cookie ?? "")
            if (browser.cookie !== undefined) assert.strictEqual((yield* ask(browser, "GET", "/auth/me")).status, 401)
            assert.strictEqual((yield* ask(next, "GET", "/auth/me")).status, 200)
            return next
          })
        let browser = yield* expectNew({}, (yield* loginFrom({}, user.email)).response)
        browser = yield* expectNew(browser, yield* ask(browser, "POST", "/auth/reauthenticate", { password }))
        const secret: string = (yield* ask(browser, "POST", "/auth/mfa/enroll-start")).json.secret_base32
        const code = yield* codeOf(secret)
        browser = yield* expectNew(browser, yield* ask(browser, "POST", "/auth/mfa/enroll-complete", { code }))
        const next = yield* nextCode({ id: user.id, secret })
        browser = yield* expectNew(browser, yield* ask(browser, "POST", "/auth/mfa/verify", { code: next }))
        const last = yield* nextCode({ id: user.id, secret })
        yield* expectNew(browser, yield* ask(browser, "POST", "/auth/mfa/disable", { password, code: last }))
      }))

    it.effect("7.5.1 the second factor is not changed without proving oneself again", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const plain = yield* freshUser()
        const { browser } = yield* loginFrom({}, plain.email)
        for (const { id } of [user, plain]) yield* back("sessions", "proven_at", id, 301)
        const calls = [
          [browser, "/auth/mfa/enroll-start", undefined],
          [user.browser, "/auth/mfa/disable", { password, code: yield* nextCode(user) }],
          [user.browser, "/auth/mfa/recovery-codes/regenerate", undefined],
          [user.browser, "/auth/mfa/trusted-devices", undefined]
        ] as const
        for (const [from, path, body] of calls) {
          assert.strictEqual((yield* ask(from, "POST", path, body)).json.code, "mfa_reverify_required", path)
        }
      }))

    it.effect("7.5.3 keys, people and their passwords are not touched without proving oneself again", () =>
      Effect.gen(function*() {
        const user = yield* enrolled({ isAdmin: true })
        const other = yield* freshUser()
        yield* back("sessions", "proven_at", user.id, 301)
        const calls = [
          ["POST", "/api-keys", { name: "key" }],
          ["POST", "/users", { email: "new@example.com", password }],
          ["PATCH", `/users/${other.id}`, { is_admin: true }],
          ["POST", `/users/${other.id}/password`, { new_password: password }],
          ["DELETE", `/users/${other.id}`, undefined]
        ] as const
        for (const [method, path, body] of calls) {
          assert.strictEqual((yield* ask(user.browser, method, path, body)).json.code, "mfa_reverify_required", path)
        }
        const browser = after(
          user.browser,
          yield* ask(user.browser, "POST", "/auth/mfa/verify", { code: yield* nextCode(user) })
        )
        assert.strictEqual((yield* ask(browser, "DELETE", `/users/${other.id}`)).status, 204)
      }))
  })
})
