import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { system } from "../../src/domain/kernel/Actor.ts"
import { MfaReset } from "../../src/services/identity/Mfa/Reset.ts"
import { CurrentActor } from "../../src/services/kernel/CurrentActor.ts"
import { freshKey, freshProject, request } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { mailingServerOn, mailsSoFar, mailsTo, tokenIn } from "../mailbox.ts"
import { until } from "../until.ts"
import { after, ask, enrolled, nextCode } from "./mfa.ts"
import { freshUser, fromElsewhere, login, password, proxied, signedIn } from "./people.ts"

const better = "a quite different passphrase"

const askReset = (email: string) =>
  request("POST", "/auth/password-reset/request", { body: { email }, headers: fromElsewhere() })

const confirm = (token: string) =>
  request("POST", "/auth/password-reset/confirm", { body: { token, new_password: better }, headers: fromElsewhere() })

const mailedToken = (email: string) =>
  Effect.gen(function*() {
    yield* askReset(email)
    const [mail] = yield* mailsTo(email)
    return mail === undefined ? "" : tokenIn(mail)
  })

/** What OWASP ASVS 5.0 asks of mail, password reset and invitations; the numbers are its requirements'. */
describe.each(laneEngines)("ASVS on %s", (engine) => {
  layer(mailingServerOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("1.3.11 what people typed cannot add headers or recipients to a mail", () =>
      Effect.gen(function*() {
        const project = yield* freshProject({ name: "Shop\r\nBcc: victim@example.com\r\n\r\nA text of my own" })
        const { token } = yield* freshKey({ isAdmin: true })
        const path = `/projects/${project.slug}/invitations`
        for (
          const email of [
            "a@example.com\r\nBcc: victim@example.com",
            "a@example.com,victim@example.com",
            "<a@example.com>",
            "a@example.com\u0000"
          ]
        ) {
          assert.strictEqual((yield* request("POST", path, { token, body: { email } })).status, 422, email)
        }
        yield* request("POST", path, { token, body: { email: "injected@example.com" } })
        const [mail] = yield* mailsTo("injected@example.com")
        assert.deepStrictEqual(mail?.headers.filter((line) => /^(to|cc|bcc|subject):/i.test(line)), [
          "To: injected@example.com",
          "Subject: Invitation to the project Shop Bcc: victim@example.com A text of my own"
        ])
        assert.deepStrictEqual(yield* mailsSoFar("victim@example.com"), [])
      }))

    it.effect("2.4.1 no caller can make the brain send mail without end", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const sql = yield* SqlClient.SqlClient
        yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], () => askReset(user.email))
        yield* until(sql`SELECT 1 FROM password_reset_requests`, (rows) => rows.length === 0)
        assert.strictEqual((yield* mailsTo(user.email, 3)).length, 3)
        yield* until(sql`SELECT 1 FROM mail_outbox`, (rows) => rows.length === 0)
        assert.strictEqual((yield* mailsSoFar(user.email)).length, 3)
      }))

    it.effect("6.3.7 a reset is mailed to the account's address", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        yield* confirm(yield* mailedToken(user.email))
        const [, notice] = yield* mailsTo(user.email, 2)
        assert.match(notice?.text ?? "", /^The password of your account/)
      }))

    it.effect("6.3.7 a changed password, by the person or an admin, is mailed to the account's address", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const headers = yield* signedIn(user)
        const changed = yield* request("POST", "/auth/change-password", {
          headers,
          body: { current_password: password, new_password: better }
        })
        assert.strictEqual(changed.status, 200)
        const { token } = yield* freshKey({ isAdmin: true })
        assert.strictEqual(
          (yield* request("POST", `/users/${user.id}/password`, { token, body: { new_password: `${better} again` } }))
            .status,
          204
        )
        const [own, set] = yield* mailsTo(user.email, 2)
        assert.match(own?.text ?? "", /was changed at [-\d]+ [:\d]+ UTC, from the address \S+\. /)
        assert.match(set?.text ?? "", /was set by an administrator at [-\d]+ [:\d]+ UTC\. /)
      }))

    it.effect("6.3.7 a change of the second factor is mailed to the account's address", () =>
      Effect.gen(function*() {
        const { browser, codes, email, ...user } = yield* enrolled()
        const used = yield* ask(browser, "POST", "/auth/mfa/verify", { code: codes[0] })
        const now = after(browser, used)
        assert.strictEqual((yield* ask(now, "POST", "/auth/mfa/recovery-codes/regenerate")).status, 200)
        const refusal = yield* ask(now, "POST", "/auth/mfa/disable", { password, code: codes[0] })
        assert.strictEqual(refusal.status, 403)
        const disabled = yield* ask(now, "POST", "/auth/mfa/disable", { password, code: yield* nextCode(user) })
        assert.strictEqual(disabled.status, 200)
        const subjects = (yield* mailsTo(email, 4)).map(({ headers }) =>
          headers.find((header) => header.startsWith("Subject: "))
        )
        assert.sameMembers(subjects, [
          "Subject: You have a second factor for svc",
          "Subject: A recovery code for svc was used",
          "Subject: Your recovery codes for svc are new",
          "Subject: Your second factor for svc is off"
        ])
      }))

    it.effect("6.3.7 a second factor that is removed from the command line is mailed to the account's address", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        yield* Effect.flatMap(MfaReset, (mfa) => mfa.reset(user)).pipe(
          Effect.provide(MfaReset.layer),
          Effect.provideService(CurrentActor, system("svc reset-mfa"))
        )
        const [, notice] = yield* mailsTo(user.email, 2)
        assert.match(notice?.text ?? "", /^The second factor of your account[^]*was reset by an administrator/)
      }))

    it.effect("6.3.8 asking for a reset does not show whether there is an account", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const [known, unknown] = [yield* askReset(user.email), yield* askReset("nobody@example.com")]
        const varying = ["date", "x-request-id"]
        const shown = ({ headers, status, text }: typeof known) => [
          status,
          text,
          [...headers].filter(([name]) => !varying.includes(name))
        ]
        assert.deepStrictEqual(shown(known), shown(unknown))
      }))

    it.effect("6.4.1 links are random, work once, end soon and set no password by themselves", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const token = yield* mailedToken(user.email)
        assert.strictEqual(Buffer.from(token, "base64url").length, 32)
        assert.strictEqual((yield* login(user.email, { password: token })).status, 401)
        assert.strictEqual((yield* confirm(token)).status, 200)
        assert.strictEqual((yield* confirm(token)).status, 403)
        const again = yield* freshUser()
        const old = yield* mailedToken(again.email)
        yield* sql`UPDATE password_resets SET expires_at = '2026-01-01T00:00:00.000000Z' WHERE user_id = ${again.id}`
        assert.strictEqual((yield* confirm(old)).status, 403)
      }))

    it.effect("6.4.3 a reset opens no session: what a login asks besides the password it asks afterwards too", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const done = yield* confirm(yield* mailedToken(user.email))
        assert.deepStrictEqual([done.status, done.json, done.headers.getSetCookie()], [200, {
          success: true,
          working_api_keys: 0
        }, []])
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`SELECT 1 FROM sessions WHERE user_id = ${user.id}`, [])
      }))

    it.effect("7.4.3 a reset ends every session of the account", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const browsers = [yield* signedIn(user), yield* signedIn(user)]
        yield* confirm(yield* mailedToken(user.email))
        for (const headers of browsers) assert.strictEqual((yield* request("GET", "/auth/me", { headers })).status, 401)
      }))
  })
})
