import type { HttpServer } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import * as argon2 from "argon2"
import { type Clock, Duration, Effect, Redacted } from "effect"
import { createHook } from "node:async_hooks"
import { once } from "node:events"
import { type IncomingMessage, request as open } from "node:http"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Sessions } from "../../../src/services/identity/Sessions.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { baseUrl, brainOn, freshKey, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import {
  browserOf,
  freshUser,
  fromElsewhere,
  letInAs,
  login,
  password,
  proxied,
  sessionOf,
  signedIn
} from "../people.ts"

const me = (headers: Record<string, string>) => request("GET", "/auth/me", { headers })

const secondsAgo = (seconds: number) => Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, -seconds))

/** A request whose body's last byte waits for `meanwhile`; its status. */
const sendSlowly = Effect.fnUntraced(function*(
  [method, path, body]: readonly [string, string, object],
  headers: Record<string, string>,
  meanwhile: Effect.Effect<unknown, never, HttpServer.HttpServer>
) {
  const text = JSON.stringify(body)
  const sent = open(`${yield* baseUrl}/api/v1${path}`, {
    method,
    headers: { ...headers, "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }
  })
  const responded = once(sent, "response") as Promise<[IncomingMessage]> // what this event comes with
  sent.write(text.slice(0, -1))
  yield* meanwhile
  sent.end(text.slice(-1))
  const [response] = yield* Effect.promise(() => responded)
  response.resume()
  return response.statusCode
})

describe.each(laneEngines)("sessions on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, loginLockoutThreshold: 3 }), { excludeTestServices: true })((it) => {
    it.effect("signs in, whatever the case of the address, with two cookies", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const response = yield* login(user.email.toUpperCase())
        assert.strictEqual(response.status, 200)
        assert.deepInclude(response.json, {
          mfa_required: false,
          mfa_enrollment_required: false,
          mfa_enrollment_deadline: null
        })
        assert.hasAllKeys(response.json.user, [
          "id",
          "email",
          "first_name",
          "last_name",
          "display_name",
          "is_admin",
          "timezone",
          "created_at"
        ])
        const [session = "", csrf = ""] = response.headers.getSetCookie()
        assert.match(session, /^svc_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
        assert.match(csrf, /^svc_csrf=[\w-]{43}; Max-Age=604800; Path=\/; SameSite=Strict$/)
        const seen = yield* me(browserOf(response))
        assert.deepInclude(seen.json, { id: user.id, email: user.email, memberships: [] })
        assert.notProperty(seen.json, "password_hash")
        const remembered = yield* login(user.email, { remember: true })
        assert.match(remembered.headers.getSetCookie()[0] ?? "", /Max-Age=2592000/)
      }))

    it.effect("signs out: the session is over and the cookies are gone", () =>
      Effect.gen(function*() {
        const browser = yield* signedIn(yield* freshUser())
        const out = yield* request("POST", "/auth/logout", { headers: browser })
        assert.strictEqual(out.status, 204)
        for (const cookie of out.headers.getSetCookie()) assert.match(cookie, /^svc_(session|csrf)=; Max-Age=0;/)
        assert.strictEqual((yield* me(browser)).status, 401)
      }))

    it.effect("does not reveal whether an address, a password or a lock is the reason", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const inactive = yield* freshUser()
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${inactive.id}`
        const wrong = { password: "wrong password" }
        const locking = [1, 2, 3].map(() => login(user.email, wrong))
        const responses = [
          yield* login("nobody@example.com"),
          yield* login(inactive.email),
          ...(yield* Effect.all(locking)),
          yield* login(user.email)
        ]
        for (const { json, status } of responses) {
          assert.strictEqual(status, 401)
          assert.deepStrictEqual({ ...json, request_id: "" }, { ...responses[0]?.json, request_id: "" })
        }
        const actions = yield* sql<
          { action: string }
        >`SELECT action FROM audit_log WHERE target_id = ${user.id} ORDER BY seq`
        assert.deepStrictEqual(actions.slice(1).map(({ action }) => action), [
          "auth.login_failed",
          "auth.login_failed",
          "auth.account_locked",
          "auth.login_failed"
        ])
        const ofInactive = yield* sql<
          { action: string }
        >`SELECT action FROM audit_log WHERE target_id = ${inactive.id} ORDER BY seq`
        assert.strictEqual(ofInactive.at(-1)?.action, "auth.login_failed", "the right password too")
        yield* sql`UPDATE users SET locked_until = ${yield* secondsAgo(1)} WHERE id = ${user.id}`
        assert.strictEqual((yield* login(user.email)).status, 200)
        assert.strictEqual((yield* login(user.email, wrong)).status, 401)
        assert.strictEqual((yield* login(user.email)).status, 200, "one wrong password after a success does not lock")
      }))

    it.effect("guesses at the same time are all counted", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const guesses = [1, 2, 3, 4, 5].map((n) => login(user.email, { password: `guess ${n}` }))
        yield* Effect.all(guesses, { concurrency: "unbounded" })
        assert.strictEqual((yield* login(user.email)).status, 401)
      }))

    it.effect("20 logins a minute from one address, for any account", () =>
      Effect.gen(function*() {
        const headers = fromElsewhere()
        const user = yield* freshUser()
        for (let n = 0; n < 20; n++) {
          assert.strictEqual((yield* login(`x${n}@example.com`, { headers })).status, 401)
        }
        const refused = yield* login(user.email, { headers })
        assert.deepInclude(refused.json, { status: 429, code: "rate_limited" })
        assert.isNull(refused.headers.get("retry-after"))
        assert.strictEqual((yield* login(user.email)).status, 200)
      }))

    it.effect("a login from another site's page is refused", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const headers = { ...fromElsewhere(), origin: "https://evil.example" }
        assert.deepInclude((yield* login(user.email, { headers })).json, { status: 403, code: "csrf_failed" })
      }))

    it.effect("a session ends when it idles, when it is old, and when its user is made inactive", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const idle = yield* signedIn(user)
        yield* sql`UPDATE sessions SET last_seen_at = ${yield* secondsAgo(1790)} WHERE user_id = ${user.id}`
        assert.strictEqual((yield* me(idle)).status, 200, "not yet, and now it has been seen")
        const [seen] = yield* sql<{ n: number }>`
          SELECT count(*) AS n FROM sessions WHERE user_id = ${user.id} AND last_seen_at > ${yield* secondsAgo(60)}`
        assert.strictEqual(seen?.n, 1)
        yield* sql`UPDATE sessions SET last_seen_at = ${yield* secondsAgo(1801)} WHERE user_id = ${user.id}`
        assert.strictEqual((yield* me(idle)).status, 401)
        const remembered = browserOf(yield* login(user.email, { remember: true }))
        yield* sql`UPDATE sessions SET last_seen_at = ${yield* secondsAgo(86_400)} WHERE user_id = ${user.id}`
        assert.strictEqual((yield* me(remembered)).status, 200, "a remembered session may idle")
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${user.id}`
        assert.strictEqual((yield* me(remembered)).status, 401)
        yield* sql`UPDATE users SET is_active = 1 WHERE id = ${user.id}`
        yield* sql`UPDATE sessions SET expires_at = ${yield* secondsAgo(1)} WHERE user_id = ${user.id}`
        assert.strictEqual((yield* me(remembered)).status, 401)
      }))

    it.effect("what ends while a body is on its way ends that request too", () =>
      Effect.gen(function*() {
        const browser = yield* signedIn(yield* freshUser())
        const change = ["PATCH", "/auth/me", { display_name: "Still Here" }] as const
        assert.strictEqual(yield* sendSlowly(change, browser, Effect.sleep("1200 millis")), 200)
        const logout = request("POST", "/auth/logout", { headers: browser }).pipe(
          Effect.delay("100 millis"),
          Effect.zipRight(Effect.sleep("1200 millis"))
        )
        assert.strictEqual(yield* sendSlowly(change, browser, logout), 401)
      }))

    it.effect("lists the sessions that work, and ends one or all others", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const [first, second, third] = [yield* signedIn(user), yield* signedIn(user), yield* signedIn(user)]
        const list = yield* request("GET", "/auth/sessions", { headers: first })
        assert.lengthOf(list.json, 3)
        assert.deepStrictEqual(list.json.map((session: { is_current: boolean }) => session.is_current), [
          false,
          false,
          true
        ])
        assert.hasAllKeys(list.json[0], [
          "id",
          "issued_at",
          "last_seen_at",
          "ip_at_issue",
          "user_agent_at_issue",
          "is_current"
        ])
        const revoke = request("POST", `/auth/sessions/${list.json[0].id}/revoke`, { headers: first })
        assert.deepStrictEqual((yield* revoke).json, { revoked: true })
        assert.deepStrictEqual((yield* revoke).json, { revoked: false })
        assert.strictEqual((yield* me(third)).status, 401)
        const stranger = yield* signedIn(yield* freshUser())
        const foreign = yield* request("POST", `/auth/sessions/${list.json[1].id}/revoke`, { headers: stranger })
        assert.strictEqual(foreign.status, 404)
        const others = request("POST", "/auth/sessions/revoke-others", { headers: first })
        assert.deepStrictEqual((yield* others).json, { revoked: true })
        assert.deepStrictEqual((yield* others).json, { revoked: false })
        assert.strictEqual((yield* me(second)).status, 401)
        assert.strictEqual((yield* me(first)).status, 200)
      }))

    it.effect("lists no more than the newest 500, however often a script signs in", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { user_id } = yield* freshKey()
        const now = yield* Timestamp.now
        const row = {
          user_id,
          remember_me: 1,
          issued_at: now,
          last_seen_at: now,
          expires_at: Timestamp.addSeconds(now, 60),
          ip_at_issue: ""
        }
        const rows = yield* Effect.forEach(Array.from({ length: 501 }), () =>
          Effect.map(Ids.next, (id) => ({ ...row, id, token_hash: id })))
        yield* sql`INSERT INTO sessions ${sql.insert(rows)}`
        const list = yield* request("GET", "/auth/sessions", { headers: yield* sessionOf(user_id) })
        assert.lengthOf(list.json, 500)
        assert.isTrue(list.json[0].is_current)
      }))

    it.effect("a new password ends every session and gives this browser a new one", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const [here, there] = [yield* signedIn(user), yield* signedIn(user)]
        const change = (current_password: string, new_password: string) =>
          request("POST", "/auth/change-password", { headers: here, body: { current_password, new_password } })
        assert.deepInclude((yield* change("wrong", "a new password")).json, { status: 403, code: "wrong_password" })
        const short = yield* change(password, "short")
        assert.deepInclude(short.json, { status: 422, code: "validation_failed" })
        assert.notInclude(short.text, "\"short\"", "a password is never repeated")
        const changed = yield* change(password, "a new password")
        assert.strictEqual(changed.status, 200)
        assert.strictEqual((yield* me(browserOf(changed))).status, 200)
        assert.strictEqual((yield* me(here)).status, 401)
        assert.strictEqual((yield* me(there)).status, 401)
        assert.strictEqual((yield* login(user.email)).status, 401)
        assert.strictEqual((yield* login(user.email, { password: "a new password" })).status, 200)
      }))

    it.effect("a session's token can be changed in place: the old one is invalid, the rest stays", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { email, user_id } = yield* freshKey()
        const before = yield* sessionOf(user_id)
        const [row] = yield* sql<
          { id: string; expires_at: string }
        >`SELECT id, expires_at FROM sessions WHERE user_id = ${user_id}`
        const person = yield* letInAs({ email, id: user_id })
        const rotate = Effect.flatMap(
          Sessions,
          (sessions) => Effect.provideService(sessions.rotate(), CurrentActor, person)
        )
        const { maxAgeSeconds, token } = yield* rotate
        assert.strictEqual((yield* me(before)).status, 401)
        const list = yield* request("GET", "/auth/sessions", { headers: { cookie: `svc_session=${token}` } })
        assert.deepStrictEqual(list.json.map(({ id }: { id: string }) => id), [row?.id])
        assert.isAtMost(maxAgeSeconds, 86_400)
        assert.isAbove(maxAgeSeconds, 86_000)
        const [after] = yield* sql<
          { id: string; expires_at: string }
        >`SELECT id, expires_at FROM sessions WHERE user_id = ${user_id}`
        assert.deepStrictEqual(after, row)
        yield* sql`UPDATE sessions SET revoked_at = issued_at WHERE user_id = ${user_id}`
        assert.deepInclude(yield* Effect.flip(rotate), { _tag: "Unauthenticated" })
      }))

    it.effect("a stolen session cannot guess the password for ever", () =>
      Effect.gen(function*() {
        const browser = yield* signedIn(yield* freshUser())
        for (let n = 0; n < 3; n++) {
          yield* request("POST", "/auth/change-password", {
            headers: browser,
            body: { current_password: `guess ${n}`, new_password: "a new password" }
          })
        }
        const right = yield* request("POST", "/auth/change-password", {
          headers: browser,
          body: { current_password: password, new_password: "a new password" }
        })
        assert.deepInclude(right.json, { status: 403, code: "wrong_password" })
      }))

    it.effect("a hash made with less is made again at the next login", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const weak = yield* Effect.promise(() =>
          argon2.hash(password, { memoryCost: 8192, timeCost: 2, parallelism: 1 })
        )
        yield* sql`UPDATE users SET password_hash = ${weak} WHERE id = ${user.id}`
        assert.strictEqual((yield* login(user.email)).status, 200)
        const [row] = yield* sql<{ password_hash: string }>`SELECT password_hash FROM users WHERE id = ${user.id}`
        assert.match(row?.password_hash ?? "", /^\$argon2id\$v=19\$m=19456,/)
        assert.strictEqual((yield* login(user.email)).status, 200)
      }))

    it.effect("changes one's own names and time zone, and clears a name with null or an empty one", () =>
      Effect.gen(function*() {
        const browser = yield* signedIn(yield* freshUser())
        const patch = (body: object) => request("PATCH", "/auth/me", { headers: browser, body })
        const changed = yield* patch({ first_name: "Ada", timezone: "Europe/Berlin" })
        assert.deepInclude(changed.json, { first_name: "Ada", timezone: "Europe/Berlin", display_name: "A Person" })
        assert.deepInclude((yield* patch({ display_name: null })).json, { display_name: null })
        yield* patch({ display_name: "A Person" })
        assert.deepInclude((yield* patch({ display_name: "" })).json, { display_name: null })
        assert.deepInclude((yield* patch({ timezone: "Mars/Olympus" })).json, { status: 422 })
        assert.deepInclude((yield* patch({ first_name: "a\0b" })).json, { status: 422 })
        assert.deepInclude((yield* patch({ is_admin: true })).json, { is_admin: false })
      }))

    it.effect("shows the password policy", () =>
      Effect.gen(function*() {
        const browser = yield* signedIn(yield* freshUser())
        const policy = yield* request("GET", "/auth/policy", { headers: browser })
        assert.deepStrictEqual(policy.json, {
          min_length: 12,
          required_character_classes: 0,
          character_class_names: []
        })
      }))
  })
})

describe.each(laneEngines)("the lock of an account on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("comes with the tenth wrong password since the last success, and lasts 900 s", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const guess = (times: number) =>
          Effect.replicateEffect(login(user.email, { password: "wrong password" }), times)
        yield* guess(9)
        assert.strictEqual((yield* login(user.email)).status, 200)
        yield* guess(9)
        const lockedUntil = Effect.map(
          sql<{ locked_until: string | null }>`SELECT locked_until FROM users WHERE id = ${user.id}`,
          ([row]) => row?.locked_until ?? ""
        )
        assert.strictEqual(yield* lockedUntil, "")
        const before = yield* secondsAgo(-900)
        yield* guess(1)
        const after = yield* secondsAgo(-900)
        assert.isTrue(before <= (yield* lockedUntil) && (yield* lockedUntil) <= after)
        assert.strictEqual((yield* login(user.email)).status, 401)
      }))
  })
})

describe("a login", () => {
  const slot = 1234
  /** Hashes that were begun while it went on: argon2's own pieces of work in libuv. */
  const hashesDuring = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      let begun = 0
      const hook = createHook({ init: (_, type) => void (begun += type === "argon2:HashWorker" ? 1 : 0) }).enable()
      return Effect.map(Effect.ensuring(work, Effect.sync(() => hook.disable())), () => begun)
    })

  layer(brainOn("SQLite", { loginMinDuration: slot }), { excludeTestServices: true })((it) => {
    it.effect("hashes once and ends at the end of a slot, whatever is wrong with it", () =>
      Effect.gen(function*() {
        const sessions = yield* Sessions
        const sql = yield* SqlClient.SqlClient
        const [known, inactive, withoutPassword] = [yield* freshUser(), yield* freshUser(), yield* freshUser()]
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${inactive.id}`
        yield* sql`UPDATE users SET password_hash = '!' WHERE id = ${withoutPassword.id}`
        const clock = yield* Effect.clock
        const attempts = {
          right: [known.email, password],
          "wrong password": [known.email, "not the password"],
          "nobody's address": ["nobody@example.com", "not the password"],
          inactive: [inactive.email, password],
          "without a password": [withoutPassword.email, password]
        } as const
        for (const [what, [email, tried]] of Object.entries(attempts)) {
          const slept: Array<number> = []
          /** Does not advance, so that what is slept is what the slot asks for. */
          const still: Clock.Clock = Object.assign(Object.create(clock), {
            currentTimeMillis: Effect.succeed(clock.unsafeCurrentTimeMillis()),
            sleep: (duration: Duration.Duration) => Effect.sync(() => void slept.push(Duration.toMillis(duration)))
          })
          const input = {
            email,
            password: Redacted.make(tried),
            remember_me: false,
            source: { source_ip: null, user_agent: null },
            token: undefined,
            device: null
          }
          const hashes = yield* hashesDuring(Effect.exit(Effect.withClock(sessions.login(input), still)))
          assert.deepStrictEqual({ what, hashes, slept }, { what, hashes: 1, slept: [slot] })
        }
      }))
  })
})
