import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { system } from "../../../src/domain/kernel/Actor.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { PasswordResets } from "../../../src/services/identity/PasswordResets.ts"
import { Users } from "../../../src/services/identity/Users.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { freshKey, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { mailingServerOn, mailsSoFar, mailsTo, tokenIn } from "../../mailbox.ts"
import { until } from "../../until.ts"
import { freshUser, fromElsewhere, login, password, proxied, signedIn } from "../people.ts"

const better = "a quite different passphrase"

const ask = (email: string, headers = fromElsewhere()) =>
  request("POST", "/auth/password-reset/request", { body: { email }, headers })

const confirm = (
  token: string,
  options: { readonly password?: string; readonly headers?: Record<string, string> } = {}
) =>
  request("POST", "/auth/password-reset/confirm", {
    body: { token, new_password: options.password ?? better },
    headers: options.headers ?? fromElsewhere()
  })

const asTest = Effect.provideService(CurrentActor, system("test"))

/** As `svc auth reset-link` makes it: the token of a link. */
const printed = (email: string) =>
  Effect.flatMap(PasswordResets, (resets) => resets.link(email)).pipe(
    asTest,
    Effect.map(({ link }) => new URL(link).searchParams.get("token") ?? "")
  )

const actionsOf = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ action: string; metadata: string; source_ip: string | null }>`
      SELECT action, metadata, source_ip FROM audit_log WHERE target_id = ${id} ORDER BY seq`)

const noRequests = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => until(sql`SELECT 1 FROM password_reset_requests`, (rows) => rows.length === 0)
)

describe.each(laneEngines)("password reset on %s", (engine) => {
  layer(mailingServerOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("by a mailed link: a new password once, every session over, a locked account open", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const browser = yield* signedIn(user)
        yield* sql`UPDATE users SET failed_logins = 10, locked_until = '9999-01-01T00:00:00.000000Z' WHERE id = ${user.id}`
        const response = yield* ask(user.email.toUpperCase(), { "x-forwarded-for": "192.0.2.7" })
        assert.deepStrictEqual([response.status, response.json], [200, { accepted: true }])
        const [mail] = yield* mailsTo(user.email)
        assert.match(
          mail?.text ?? "",
          /^A new password was requested from the address 192\.0\.2\.7 for your account\nPerson\./
        )
        assert.match(
          mail?.text ?? "",
          / at\nhttp:\/\/localhost\n\nTo set one, open this link before \d{4}-\d\d-\d\d \d\d:\d\d UTC\. It works once:\n\nhttp:\/\/localhost\/reset-password\?token=/
        )
        const token = mail === undefined ? "" : tokenIn(mail)
        const stored = yield* sql<
          { expires_at: string; created_at: string }
        >`SELECT * FROM password_resets WHERE user_id = ${user.id}`
        assert.notInclude(JSON.stringify(stored), token)
        assert.strictEqual(Date.parse(stored[0]?.expires_at ?? "") - Date.parse(stored[0]?.created_at ?? ""), 1_800_000)

        for (const weak of ["short", "password1234", user.email]) {
          const refused = yield* confirm(token, { password: weak })
          assert.deepInclude(refused.json, { status: 422 })
          assert.strictEqual(refused.json.details.issues[0].path, "new_password")
        }
        const done = yield* confirm(token, { headers: { "x-forwarded-for": "192.0.2.8" } })
        assert.deepStrictEqual([done.status, done.json], [200, { success: true, working_api_keys: 0 }])
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: browser })).status, 401)
        assert.strictEqual((yield* login(user.email, { password: better })).status, 200)
        assert.strictEqual((yield* login(user.email)).status, 401)
        assert.deepInclude((yield* confirm(token)).json, { status: 403, code: "reset_token_invalid" })
        const [, notice] = yield* mailsTo(user.email, 2)
        assert.match(
          notice?.text ?? "",
          /was changed by a link at .*, from the address 192\.0\.2\.8\. Every session has ended/
        )

        const audited = (yield* actionsOf(user.id)).filter(({ action }) => /password/.test(action))
        assert.deepStrictEqual(audited.map(({ action, source_ip }) => [action, source_ip]), [
          ["auth.password_reset_issued", "192.0.2.7"],
          ["user.password_changed", "192.0.2.8"]
        ])
        assert.deepInclude(JSON.parse(audited[1]?.metadata ?? ""), { by: "password reset", by_reset: true })
        assert.notInclude(JSON.stringify(yield* sql`SELECT * FROM audit_log`), token)
      }))

    it.effect("leaves API keys as they are, and says how many of them work", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const now = yield* Timestamp.now
        const keys = yield* Effect.all([freshKey(), freshKey(), freshKey(), freshKey()])
        // ids of one millisecond have no order
        const [revoked, old, , kept] = yield* Effect.forEach(keys, ({ user_id }) =>
          Effect.map(
            sql<{ id: string }>`UPDATE api_keys SET user_id = ${user.id} WHERE user_id = ${user_id} RETURNING id`,
            ([row]) => row
          ))
        yield* sql`UPDATE api_keys SET revoked_at = ${now} WHERE id = ${revoked?.id ?? ""}`
        yield* sql`UPDATE api_keys SET expires_at = ${now} WHERE id = ${old?.id ?? ""}`
        assert.strictEqual((yield* confirm(yield* printed(user.email))).json.working_api_keys, 2)
        assert.strictEqual((yield* request("GET", "/auth/me", { token: keys[3].token })).json.id, user.id)
        const [first] = yield* mailsTo(user.email)
        assert.match(
          first?.text ?? "",
          /\n\n2 API keys of the account still work. Sign in, check them at\nhttp:\/\/\S+\/account\?tab=keys\nand revoke those/
        )
        yield* sql`UPDATE api_keys SET revoked_at = ${now} WHERE id = ${kept?.id ?? ""}`
        const { token } = yield* freshKey({ isAdmin: true })
        yield* request("POST", `/users/${user.id}/password`, { token, body: { new_password: password } })
        const [, second] = yield* mailsTo(user.email, 2)
        assert.include(second?.text ?? "", "Your sessions have ended.\n\n1 API key of the account still works.")
      }))

    it.effect("does not reveal who has an account, and mails only who has an active one", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [active, inactive] = [yield* freshUser(), yield* freshUser()]
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${inactive.id}`
        const responses = yield* Effect.forEach(
          ["nobody@example.com", inactive.email, active.email],
          (email) => ask(email)
        )
        assert.deepStrictEqual(
          responses.map(({ status, text }) => `${status} ${text}`),
          Array.from({ length: 3 }, () => `200 {"accepted":true}`)
        )
        yield* mailsTo(active.email)
        yield* noRequests
        assert.deepStrictEqual([...yield* mailsSoFar("nobody@example.com"), ...yield* mailsSoFar(inactive.email)], [])
        assert.strictEqual((yield* ask("no address")).status, 422)
        assert.deepInclude((yield* ask(active.email, { ...fromElsewhere(), origin: "https://evil.example" })).json, {
          code: "csrf_failed"
        })
      }))

    it.effect("fills no mailbox: three links an account at a time", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        yield* Effect.forEach([1, 2, 3, 4, 5], () => ask(user.email), { concurrency: "unbounded" })
        yield* noRequests
        yield* mailsTo(user.email, 3)
        yield* ask(user.email)
        yield* noRequests
        const other = yield* freshUser()
        yield* ask(other.email)
        const [first] = yield* mailsTo(other.email)
        assert.strictEqual((yield* mailsSoFar(user.email)).length, 3)
        assert.strictEqual((yield* confirm(first === undefined ? "" : tokenIn(first))).status, 200)
      }))

    it.effect("of confirmations at the same moment one wins, also with two links", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const token = yield* printed(user.email)
        const race = yield* Effect.all([1, 2, 3].map((n) => confirm(token, { password: `${better} ${n}` })), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(race.map(({ status }) => status).sort(), [200, 403, 403])
        yield* ask(user.email)
        yield* ask(user.email)
        const tokens = (yield* mailsTo(user.email, 3)).map(tokenIn).filter((token) => token !== "") // one mail is the notice
        const both = yield* Effect.all(tokens.map((token) => confirm(token)), { concurrency: "unbounded" })
        assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 403])
      }))

    it.effect("ten calls a minute from an address, of both together", () =>
      Effect.gen(function*() {
        const headers = fromElsewhere()
        yield* Effect.forEach([1, 2, 3, 4, 5], () => ask("nobody@example.com", headers))
        const tries = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => confirm("not the token", { headers }))
        assert.deepStrictEqual(tries.map(({ status }) => status), [403, 403, 403, 403, 403, 429])
        assert.strictEqual((yield* ask("nobody@example.com", headers)).status, 429)
      }))
  })

  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("without mail the response is the same, and the command line makes the link", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        assert.deepStrictEqual((yield* ask(user.email)).json, { accepted: true })
        assert.deepStrictEqual(yield* sql`SELECT 1 FROM password_reset_requests`, [])
        const [first, second] = [yield* printed(user.email.toUpperCase()), yield* printed(user.email)]
        assert.deepInclude((yield* confirm(first)).json, { status: 403, code: "reset_token_invalid" })
        assert.strictEqual((yield* confirm(second)).status, 200)
        const [issued] = (yield* actionsOf(user.id)).filter(({ action }) => action === "auth.password_reset_issued")
        assert.deepStrictEqual(JSON.parse(issued?.metadata ?? ""), { by: "test", by_mail: false })
        assert.deepStrictEqual(yield* sql`SELECT 1 FROM mail_outbox`, [])

        const unknown = yield* Effect.flip(printed("nobody@example.com"))
        assert.deepInclude(unknown, { _tag: "NotFound", resource: "user" })
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${user.id}`
        assert.deepInclude(yield* Effect.flip(printed(user.email)), { _tag: "Conflict", code: "user_inactive" })
      }))

    it.effect("a link ends with its time, with its user, and with any new password", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const users = yield* Users
        const user = yield* freshUser()
        const invalid = Effect.fnUntraced(function*(token: string) {
          assert.deepInclude((yield* confirm(token)).json, { status: 403, code: "reset_token_invalid" })
        })
        const old = yield* printed(user.email)
        yield* sql`UPDATE password_resets SET expires_at = ${yield* Timestamp.now} WHERE user_id = ${user.id}`
        yield* invalid(old)
        const voided = yield* printed(user.email)
        yield* asTest(users.setPassword(user.id, Redacted.make(password)))
        yield* invalid(voided)
        const disabled = yield* printed(user.email)
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${user.id}`
        yield* invalid(disabled)
        yield* sql`UPDATE users SET is_active = 1 WHERE id = ${user.id}`
        const orphan = yield* printed(user.email)
        yield* asTest(users.remove(user.id))
        yield* invalid(orphan)
      }))
  })
})
