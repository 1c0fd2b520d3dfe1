import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { dictionary } from "@zxcvbn-ts/language-common"
import { Effect, Redacted } from "effect"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { Sessions } from "../../src/services/identity/Sessions.ts"
import { freshKey, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { browserOf, freshUser, fromElsewhere, login, password, proxied, sessionOf, signedIn } from "./people.ts"

/**
 * Accounts by the numbers of OWASP ASVS 5.0, so that each can be found; what surrounds them is in Auth.test.ts,
 * Users.test.ts and test/domain/identity/PasswordStrength.test.ts.
 */
const me = (headers: Readonly<Record<string, string>>) => request("GET", "/auth/me", { headers })

const ago = (seconds: number) => Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, -seconds))

const sessionToken = ({ cookie }: { readonly cookie: string }) => /svc_session=([^;]*)/.exec(cookie)?.[1] ?? ""

describe.each(laneEngines)("ASVS 5.0 on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, loginLockoutThreshold: 3 }), { excludeTestServices: true })((it) => {
    /** Every way to set a password while signed in; each returns the response for this one. */
    const settings = Effect.gen(function*() {
      const { token } = yield* freshKey({ isAdmin: true })
      const { email, id } = yield* freshUser()
      const sql = yield* SqlClient.SqlClient
      const [stored] = yield* sql<{ password_hash: string }>`SELECT password_hash FROM users WHERE id = ${id}`
      let createdCount = 0
      return [
        (text: string) =>
          request("POST", "/users", {
            token,
            body: { email: `made-${createdCount++}@personal.example`, password: text }
          }),
        (text: string) => request("POST", `/users/${id}/password`, { token, body: { new_password: text } }),
        (text: string) =>
          Effect.gen(function*() {
            yield* sql`UPDATE users SET password_hash = ${stored?.password_hash} WHERE id = ${id}`
            const body = { current_password: password, new_password: text }
            return yield* request("POST", "/auth/change-password", { headers: yield* sessionOf(id), body })
          })
      ].map((set, index) => ({ own: index === 0 ? "personal.example" : email, set }))
    })

    it.effect("ASVS 6.3.2 there are no default accounts", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`SELECT email FROM users`, [])
        for (const email of ["admin", "root", "admin@localhost", "admin@example.com"]) {
          for (const guess of ["admin", "password", "svc"]) {
            const response = yield* Effect.flatMap(Sessions, (sessions) =>
              sessions.login({
                email,
                password: Redacted.make(guess),
                remember_me: false,
                source: { source_ip: null, user_agent: null },
                token: undefined,
                device: null
              })).pipe(Effect.flip)
            assert.deepInclude(response, { _tag: "Unauthenticated", code: "login_failed" })
          }
        }
      }))

    it.effect("ASVS 6.2.1 a password has at least 12 characters, as a person counts them, and ASVS 6.2.9 may have 64 and more", () =>
      Effect.gen(function*() {
        const policy = yield* request("GET", "/auth/policy", { headers: yield* sessionOf((yield* freshKey()).user_id) })
        assert.deepStrictEqual(policy.json, {
          min_length: 12,
          required_character_classes: 0,
          character_class_names: []
        })
        for (const [index, { set }] of (yield* settings).entries()) {
          for (const short of ["eleven char", "žluťoučký k".normalize("NFD"), "🐎🔋📎✅🐄🔌🖇️❎🐖💡"]) {
            const response = yield* set(short)
            assert.strictEqual(response.json.code, "validation_failed", short)
            assert.include(response.text, "at least 12 characters")
          }
          // hashing takes time: one way is tried with all
          for (
            const good of index > 0
              ? ["twelve chars"]
              : [
                "twelve chars",
                "žluťoučký kůň",
                "the quick brown fox jumps over the lazy dog, and so does a slow grey wolf",
                "Ünïcode 密码 ".repeat(23)
              ]
          ) {
            assert.oneOf((yield* set(good)).status, [200, 201, 204], good)
          }
          assert.strictEqual((yield* set("long ago, ".repeat(26))).status, 422, "260 characters")
        }
      }))

    it.effect("ASVS 6.2.4 the commonest passwords are refused wherever one is set, and ASVS 6.2.11 words about the person", () =>
      Effect.gen(function*() {
        const commonest = dictionary["passwords-common"].filter((text) => text.length >= 12)
        for (const { own, set } of yield* settings) {
          for (const text of [...commonest.slice(0, 3), "Password1234"]) {
            const response = yield* set(text)
            assert.strictEqual(response.json.code, "validation_failed", text)
            assert.match(response.json.details.issues[0].path, /password$/)
            assert.notInclude(response.text, text)
          }
          const personal = yield* set(own)
          assert.include(personal.json.details?.issues[0].message, "e-mail address")
        }
      }))

    it.effect("ASVS 6.3.1 guesses are limited by account and by address, and the lock ends no session", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const browser = yield* sessionOf(user.id)
        for (let n = 0; n < 3; n++) yield* login(user.email, { password: `guess ${n}` })
        assert.strictEqual((yield* login(user.email)).status, 401, "the right password, while it is locked")
        assert.strictEqual((yield* me(browser)).status, 200)
        const headers = fromElsewhere()
        const { json } = yield* Effect.map(
          Effect.all(Array.from({ length: 21 }, (_, n) => login(`x${n}@example.com`, { headers })), { concurrency: 4 }),
          (responses) => responses.find(({ status }) => status === 429)!
        )
        assert.strictEqual(json.code, "rate_limited")
      }))

    it.effect("ASVS 6.3.8 no message, code or header of a login shows whether the address exists, is locked or inactive", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [known, locked, inactive] = [yield* freshUser(), yield* freshUser(), yield* freshUser()]
        yield* sql`UPDATE users SET locked_until = '2999-01-01T00:00:00.000000Z' WHERE id = ${locked.id}`
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${inactive.id}`
        const attempts = [
          ["nobody@example.com", password],
          [known.email, "wrong"],
          [locked.email, password],
          [locked.email, "wrong"],
          [inactive.email, password]
        ] as const
        const responses = yield* Effect.forEach(
          attempts,
          ([email, guess]) =>
            Effect.map(login(email, { password: guess }), ({ headers, json, status }) => {
              const shown = [...headers].filter(([name]) => !["date", "x-request-id"].includes(name))
              return { status, shown, json: { ...json, request_id: "" } }
            })
        )
        for (const response of responses) assert.deepStrictEqual(response, responses[0])
        assert.strictEqual(responses[0]?.status, 401)
      }))

    it.effect("ASVS 7.2.3 a session's token is a reference of 256 random bits, and only its hash is stored", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const tokens = [sessionToken(yield* signedIn(user)), sessionToken(yield* signedIn(user))]
        for (const token of tokens) assert.lengthOf(Buffer.from(token, "base64url"), 32)
        assert.notStrictEqual(tokens[0], tokens[1])
        const stored = JSON.stringify(yield* sql`SELECT * FROM sessions WHERE user_id = ${user.id}`)
        for (const token of tokens) assert.notInclude(stored, token)
      }))

    it.effect("ASVS 7.2.4 signing in again, and another password, bring a new token and end the session of the old one", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const [first, elsewhere] = [yield* signedIn(user), yield* sessionOf(user.id)]
        const again = browserOf(yield* login(user.email, { headers: { ...fromElsewhere(), cookie: first.cookie } }))
        assert.notStrictEqual(sessionToken(again), sessionToken(first))
        assert.deepStrictEqual(
          [(yield* me(first)).status, (yield* me(again)).status, (yield* me(elsewhere)).status],
          [401, 200, 200]
        )
        const refusal = yield* login(user.email, {
          password: "wrong",
          headers: { ...fromElsewhere(), cookie: again.cookie }
        })
        assert.strictEqual(refusal.status, 401)
        assert.strictEqual((yield* me(again)).status, 200, "a failed login ends nothing")
        const body = { current_password: password, new_password: "another good password" }
        const changed = browserOf(yield* request("POST", "/auth/change-password", { headers: again, body }))
        assert.deepStrictEqual([(yield* me(again)).status, (yield* me(changed)).status], [401, 200])
      }))

    it.effect("ASVS 7.3.1 a session ends when it idles", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { user_id } = yield* freshKey()
        const browser = yield* sessionOf(user_id)
        yield* sql`UPDATE sessions SET last_seen_at = ${yield* ago(1790)} WHERE user_id = ${user_id}`
        assert.strictEqual((yield* me(browser)).status, 200)
        yield* sql`UPDATE sessions SET last_seen_at = ${yield* ago(1801)} WHERE user_id = ${user_id}`
        assert.strictEqual((yield* me(browser)).status, 401)
      }))

    it.effect("ASVS 7.3.2 a session ends when it is old, however much it is used", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        for (const [remember, seconds] of [[false, 7 * 86_400], [true, 30 * 86_400]] as const) {
          const browser = browserOf(yield* login(user.email, { remember }))
          const [row] = yield* sql<{ id: string; issued_at: Timestamp.Timestamp; expires_at: string }>`
            SELECT id, issued_at, expires_at FROM sessions WHERE user_id = ${user.id} ORDER BY id DESC LIMIT 1`
          assert.strictEqual(row?.expires_at, Timestamp.addSeconds(row!.issued_at, seconds))
          assert.strictEqual((yield* me(browser)).status, 200)
          yield* sql`UPDATE sessions SET expires_at = ${yield* ago(0)}, last_seen_at = ${yield* ago(
            0
          )} WHERE id = ${row?.id}`
          assert.strictEqual((yield* me(browser)).status, 401)
        }
      }))

    it.effect("ASVS 7.4.1 a session that was signed out or ended is good for nothing", () =>
      Effect.gen(function*() {
        const { user_id } = yield* freshKey()
        const [out, ended, kept] = [yield* sessionOf(user_id), yield* sessionOf(user_id), yield* sessionOf(user_id)]
        yield* request("POST", "/auth/logout", { headers: out })
        yield* request("POST", "/auth/sessions/revoke-others", { headers: kept })
        for (const headers of [out, ended]) {
          assert.strictEqual((yield* me(headers)).status, 401)
          assert.strictEqual((yield* request("PATCH", "/auth/me", { headers, body: { first_name: "X" } })).status, 401)
        }
        assert.strictEqual((yield* me(kept)).status, 200)
      }))

    it.effect("ASVS 7.4.2 an account that is disabled or deleted has no session and no key that works", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const [disabled, deleted] = [yield* freshKey(), yield* freshKey()]
        const sessions = [
          yield* sessionOf(disabled.user_id),
          yield* sessionOf(deleted.user_id),
          yield* sessionOf(deleted.user_id)
        ]
        yield* request("PATCH", `/users/${disabled.user_id}`, { token, body: { is_active: false } })
        yield* request("DELETE", `/users/${deleted.user_id}`, { token })
        for (const headers of sessions) assert.strictEqual((yield* me(headers)).status, 401)
        for (const key of [disabled, deleted]) assert.strictEqual((yield* request("GET", "/projects", key)).status, 401)
        yield* request("PATCH", `/users/${disabled.user_id}`, { token, body: { is_active: true } })
        assert.strictEqual((yield* me(sessions[0]!)).status, 401, "active again, and still signed out")
      }))

    it.effect("ASVS 7.4.3 another password, by oneself or by an admin, ends the other sessions", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const user = yield* freshUser()
        const [here, there] = [yield* sessionOf(user.id), yield* sessionOf(user.id)]
        const body = { current_password: password, new_password: "another good password" }
        const changed = browserOf(yield* request("POST", "/auth/change-password", { headers: here, body }))
        assert.deepStrictEqual([(yield* me(there)).status, (yield* me(changed)).status], [401, 200])
        yield* request("POST", `/users/${user.id}/password`, { token, body: { new_password: "set by an admin, too" } })
        assert.strictEqual((yield* me(changed)).status, 401)
      }))

    it.effect("ASVS 7.5.1 the password changes only with the current one, and the address not at all", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const headers = yield* sessionOf(user.id)
        const change = (body: object) => request("POST", "/auth/change-password", { headers, body })
        assert.strictEqual((yield* change({ new_password: "another good password" })).status, 422)
        const refusal = yield* change({ current_password: "wrong", new_password: "another good password" })
        assert.deepInclude(refusal.json, { status: 403, code: "wrong_password" })
        const patched = yield* request("PATCH", "/auth/me", {
          headers,
          body: { email: "mine@example.com", is_admin: true }
        })
        assert.deepInclude(patched.json, { email: user.email, is_admin: false })
      }))

    it.effect("ASVS 7.5.2 people see their sessions, and end one or all of them", () =>
      Effect.gen(function*() {
        const { user_id } = yield* freshKey()
        const [one, other, here] = [yield* sessionOf(user_id), yield* sessionOf(user_id), yield* sessionOf(user_id)]
        const list = yield* request("GET", "/auth/sessions", { headers: here })
        const shown: ReadonlyArray<{ readonly id: string; readonly is_current: boolean }> = list.json
        assert.deepStrictEqual(shown.map(({ is_current }) => is_current).sort(), [false, false, true])
        for (const { id } of shown.filter(({ is_current }) => !is_current)) {
          yield* request("POST", `/auth/sessions/${id}/revoke`, { headers: here })
        }
        assert.deepStrictEqual([(yield* me(one)).status, (yield* me(other)).status, (yield* me(here)).status], [
          401,
          401,
          200
        ])
        yield* request("POST", `/auth/sessions/${shown.find(({ is_current }) => is_current)?.id}/revoke`, {
          headers: here
        })
        assert.strictEqual((yield* me(here)).status, 401)
      }))
  })
})
