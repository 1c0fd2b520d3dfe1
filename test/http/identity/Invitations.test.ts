import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { type ApiResponse, freshKey, freshProject, request } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { mailingServerOn, mailsSoFar, mailsTo, tokenIn } from "../../mailbox.ts"
import { browserOf, freshUser, fromElsewhere, login, password, proxied, signedIn } from "../people.ts"

let addressCount = 0
const newAddress = () => `Guest.${++addressCount}.${Math.floor(performance.now())}@Example.com`

/** A project, and an admin of it with a key. */
const site = Effect.gen(function*() {
  const project = yield* freshProject({ name: "The shop" })
  const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
  return { project, admin, path: `/projects/${project.slug}/invitations` }
})

const invite = (project: Project, token: string, body: object) =>
  request("POST", `/projects/${project.slug}/invitations`, { token, body })

const preview = (token: string) =>
  request("POST", "/invitations/preview", { body: { token }, headers: fromElsewhere() })

const accept = (
  token: string,
  headers: Record<string, string> = {},
  account: object = { display_name: "A Guest", password }
) =>
  request("POST", "/invitations/accept", { body: { token, ...account }, headers: { ...fromElsewhere(), ...headers } })

const expectInvalid = (response: ApiResponse) =>
  assert.deepInclude(response.json, {
    status: 403,
    code: "invitation_invalid",
    detail: "This invitation is not valid, was used or revoked, or has expired. Ask for a new one."
  })

describe.each(laneEngines)("invitations on %s", (engine) => {
  layer(mailingServerOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("who is new gets a mail, makes an account and is in", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { admin, path, project } = yield* site
        const email = newAddress()
        const created = yield* invite(project, admin.token, { email })
        assert.strictEqual(created.status, 201)
        const { accept_url_path, email_sent, invitation, token } = created.json
        assert.deepInclude(invitation, {
          email,
          role: "viewer",
          invited_by: admin.user_id,
          project_id: project.id,
          accepted_at: null,
          revoked_at: null
        })
        assert.strictEqual(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at), 7 * 86_400_000)
        assert.deepStrictEqual([accept_url_path, email_sent], [`/invitation?token=${token}`, true])
        assert.notInclude(JSON.stringify(yield* sql`SELECT * FROM invitations`), token)
        const [mail] = yield* mailsTo(email)
        assert.isDefined(mail)
        assert.strictEqual(tokenIn(mail), token)
        assert.include(mail.headers, "Subject: Invitation to the project The shop")
        assert.match(
          mail.text,
          new RegExp(
            `^${admin.email} invites you to the project\n"The shop", as viewer, at\nhttp://localhost\n\nTo accept, open this link before `
          )
        )

        assert.deepStrictEqual((yield* preview(token)).json, {
          email,
          role: "viewer",
          project_slug: project.slug,
          project_name: "The shop",
          expires_at: invitation.expires_at
        })
        const bare = yield* accept(token, {}, {})
        assert.deepStrictEqual(bare.json.details.issues.map(({ path }: { path: string }) => path), [
          "display_name",
          "password"
        ])
        const tooLong = yield* accept(token, {}, { display_name: "A Guest", password: "🐄🔌💡".repeat(67) })
        assert.deepStrictEqual(tooLong.json.details.issues, [{
          path: "password",
          message: "must have at most 200 characters"
        }])
        const longest = yield* accept(token, {}, { password: "🐄🔌💡".repeat(66) })
        assert.deepStrictEqual(
          longest.json.details.issues.map(({ path }: { path: string }) => path),
          ["display_name"],
          "198 characters will do"
        )
        assert.strictEqual((yield* accept(token, {}, { display_name: "A Guest", password: "elevenchars" })).status, 422)
        assert.strictEqual(
          (yield* accept(token, {}, { display_name: "A Guest", password: "A Guest 2024!" })).json.details.issues[0]
            .path,
          "password"
        )
        const race = yield* Effect.all([accept(token), accept(token), accept(token)], { concurrency: "unbounded" })
        assert.deepStrictEqual(
          race.map(({ status }) => status === 201),
          race.map(({ status }) => status !== 403 && status !== 409)
        )
        assert.strictEqual(race.filter(({ status }) => status === 201).length, 1)
        const winner = race.find(({ status }) => status === 201)
        assert.isDefined(winner)
        // the response signs the new member in, and no other one does
        assert.deepStrictEqual(race.map(({ headers }) => headers.getSetCookie().length).sort(), [0, 0, 2])
        const own = yield* request("GET", `/projects/${project.slug}`, { headers: browserOf(winner) })
        assert.strictEqual(own.status, 200)
        const { user_id, ...rest } = winner.json
        assert.deepStrictEqual(rest, { project_slug: project.slug, role: "viewer" })
        const me = yield* request("GET", "/auth/me", { headers: yield* signedIn({ email: email.toLowerCase() }) })
        assert.deepInclude(me.json, { id: user_id, email, display_name: "A Guest", is_admin: false })
        assert.deepStrictEqual(me.json.memberships, [{
          project_id: project.id,
          project_slug: project.slug,
          role: "viewer"
        }])

        expectInvalid(yield* accept(token))
        expectInvalid(yield* preview(token))
        const [listed] = (yield* request("GET", path, { token: admin.token })).json
        assert.isNotNull(listed.accepted_at)
        assert.notProperty(listed, "token_hash")
        const revoked = yield* request("DELETE", `${path}/${invitation.id}`, { token: admin.token })
        assert.deepInclude(revoked.json, { status: 409, code: "invitation_accepted" })
        const rows = yield* sql<{ action: string; user_id: string | null }>`
          SELECT action, user_id FROM audit_log WHERE project_id = ${project.id} OR target_id = ${user_id} ORDER BY seq`
        assert.deepStrictEqual(rows.map(({ action }) => action), [
          "project.created",
          "invitation.created",
          "user.created",
          "membership.granted",
          "invitation.accepted"
        ])
        const [login] = yield* sql<{ action: string; metadata: string }>`
          SELECT action, metadata FROM audit_log WHERE user_id = ${user_id} ORDER BY seq`
        assert.strictEqual(login?.action, "auth.login")
        assert.deepStrictEqual(JSON.parse(login?.metadata ?? ""), { by: "invitation" })
        assert.strictEqual(rows[1]?.user_id, admin.user_id)
      }))

    it.effect("an account that there is joins signed in, and no other account in its place", () =>
      Effect.gen(function*() {
        const { admin, project } = yield* site
        const [invited, other] = [yield* freshUser(), yield* freshUser()]
        const { token } =
          (yield* invite(project, admin.token, { email: invited.email.toUpperCase(), role: "operator" })).json
        assert.deepInclude((yield* accept(token)).json, { status: 409, code: "sign_in_first" })
        assert.deepInclude((yield* accept(token, yield* signedIn(other))).json, { status: 403, code: "wrong_account" })
        const browser = yield* signedIn(invited)
        assert.deepInclude((yield* accept(token, { cookie: browser.cookie })).json, {
          status: 403,
          code: "csrf_failed"
        })
        assert.deepInclude((yield* accept(token, { ...browser, origin: "https://evil.example" })).json, {
          status: 403,
          code: "csrf_failed"
        })
        yield* request("POST", "/auth/logout", { headers: browser })
        assert.deepInclude((yield* accept(token, browser)).json, { status: 409, code: "sign_in_first" })
        const again = yield* signedIn(invited)
        const accepted = yield* accept(token, again, {})
        assert.deepStrictEqual([accepted.status, accepted.json], [201, {
          user_id: invited.id,
          project_slug: project.slug,
          role: "operator"
        }])
        assert.deepStrictEqual(accepted.headers.getSetCookie(), [], "the session is the one that was there")
        assert.strictEqual((yield* request("GET", `/projects/${project.slug}`, { headers: again })).status, 200)
        expectInvalid(yield* accept(token, again))
        assert.strictEqual((yield* login(invited.email)).status, 200) // the password stayed what it was
        const member = yield* invite(project, admin.token, { email: invited.email })
        assert.deepInclude(member.json, { status: 409, code: "already_member" })
      }))

    it.effect("a new account ends the session of another person in its browser, which must send its token", () =>
      Effect.gen(function*() {
        const { admin, project } = yield* site
        const { token } = (yield* invite(project, admin.token, { email: newAddress() })).json
        const browser = yield* signedIn(yield* freshUser())
        assert.deepInclude((yield* accept(token, { cookie: browser.cookie })).json, {
          status: 403,
          code: "csrf_failed"
        })
        const accepted = yield* accept(token, browser)
        assert.strictEqual(accepted.status, 201)
        assert.notStrictEqual(browserOf(accepted).cookie, browser.cookie)
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: browser })).status, 401)
        const me = yield* request("GET", "/auth/me", { headers: browserOf(accepted) })
        assert.strictEqual(me.json.id, accepted.json.user_id)
      }))

    it.effect("ends when it is replaced, withdrawn, too old, or its inviter may not invite any more: one response", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { admin, path, project } = yield* site
        const email = newAddress()
        const first = (yield* invite(project, admin.token, { email })).json
        const second =
          (yield* invite(project, admin.token, { email: email.toUpperCase(), role: "admin", ttl_days: 30 })).json
        expectInvalid(yield* accept(first.token))
        assert.deepInclude((yield* preview(second.token)).json, { role: "admin" })
        const withdraw = () => request("DELETE", `${path}/${second.invitation.id}`, { token: admin.token })
        assert.deepStrictEqual([(yield* withdraw()).status, (yield* withdraw()).status], [204, 204])
        expectInvalid(yield* accept(second.token))
        const revocations =
          yield* sql`SELECT 1 FROM audit_log WHERE action = 'invitation.revoked' AND target_id = ${second.invitation.id}`
        assert.strictEqual(revocations.length, 1)

        const third = (yield* invite(project, admin.token, { email })).json
        yield* sql`UPDATE invitations SET expires_at = ${yield* Timestamp.now} WHERE id = ${third.invitation.id}`
        expectInvalid(yield* accept(third.token))
        const fourth = (yield* invite(project, admin.token, { email })).json
        yield* sql`UPDATE memberships SET role = 'operator' WHERE user_id = ${admin.user_id}`
        expectInvalid(yield* preview(fourth.token))
        expectInvalid(yield* accept(fourth.token))
        assert.strictEqual((yield* invite(project, admin.token, { email })).status, 403)
        expectInvalid(yield* accept("no such token"))
      }))

    it.effect("refuses what is out of range, and mails an address five times a day", () =>
      Effect.gen(function*() {
        const { admin, project } = yield* site
        const cases = [
          [{ email: "no address" }, "email"],
          [{ email: "a@b.c,d" }, "email"],
          [{ email: "a@b.c\r\nBcc: x" }, "email"],
          [{ email: "a@b.c", role: "owner" }, "role"],
          [{ email: "a@b.c", ttl_days: 31 }, "ttl_days"],
          [{ email: "a@b.c", ttl_days: 0 }, "ttl_days"]
        ] as const
        for (const [body, field] of cases) {
          const response = yield* invite(project, admin.token, body)
          assert.strictEqual(response.json.details?.issues[0]?.path, field, JSON.stringify(body))
        }
        const email = newAddress()
        const inviteAgain = invite(project, admin.token, { email })
        const responses = yield* Effect.replicateEffect(inviteAgain, 6, { concurrency: 6 })
        assert.deepStrictEqual(responses.map(({ json }) => json.email_sent).sort(), [
          false,
          true,
          true,
          true,
          true,
          true
        ])
        yield* mailsTo(email, 5)
        assert.strictEqual((yield* mailsSoFar(email)).length, 5)
        const last = yield* inviteAgain
        assert.isFalse(last.json.email_sent)
        assert.strictEqual((yield* preview(last.json.token)).status, 200)
      }))

    it.effect("mails two hundred times a day for a project, and continues without", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { admin, project } = yield* site
        const now = yield* Timestamp.now
        const row = {
          project_id: project.id,
          email: "",
          role: "viewer",
          created_at: now,
          expires_at: now,
          accepted_at: now
        }
        const rows = yield* Effect.forEach(Array.from({ length: 199 }), () =>
          Effect.map(Ids.next, (id) => ({ ...row, id, email_key: id, token_hash: id })))
        yield* sql`INSERT INTO invitations ${sql.insert(rows)}`
        const sent = Effect.map(
          Effect.suspend(() =>
            invite(project, admin.token, { email: newAddress() })
          ),
          ({ json }) => json.email_sent
        )
        assert.sameMembers(yield* Effect.all([sent, sent], { concurrency: 2 }), [true, false])
      }))

    it.effect("thirty calls a minute from an address, of both together", () =>
      Effect.gen(function*() {
        const headers = fromElsewhere()
        const call = (path: string) =>
          request("POST", `/invitations/${path}`, { body: { token: "no such token" }, headers })
        const tries = yield* Effect.forEach(Array.from({ length: 31 }, (_, index) => index), (index) =>
          call(index % 2 === 0 ? "preview" : "accept"))
        assert.deepStrictEqual(
          tries.map(({ status }) =>
            status
          ),
          [...Array.from({ length: 30 }, () => 403), 429]
        )
      }))
  })

  layer(mailingServerOn(engine, { ...proxied, passwordLogin: "global_admins" }), { excludeTestServices: true })(
    (it) => {
      it.effect("signs nobody in where members sign in through a provider", () =>
        Effect.gen(function*() {
          const { admin, project } = yield* site
          const { token } = (yield* invite(project, admin.token, { email: newAddress() })).json
          const accepted = yield* accept(token)
          assert.deepStrictEqual([accepted.status, accepted.headers.getSetCookie()], [201, []])
        }))
    }
  )

  const strict = { ...proxied, mfaEnforceForAll: true, mfaEnrollmentGraceDays: 0 }
  layer(mailingServerOn(engine, strict), { excludeTestServices: true })((it) => {
    it.effect("lets a new member only enrol where a second factor is required", () =>
      Effect.gen(function*() {
        const { admin, project } = yield* site
        const { token } = (yield* invite(project, admin.token, { email: newAddress() })).json
        const browser = browserOf(yield* accept(token))
        const refused = yield* request("GET", `/projects/${project.slug}`, { headers: browser })
        assert.deepInclude(refused.json, { status: 403, code: "mfa_enrollment_required" })
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: browser })).status, 200)
      }))
  })
})
