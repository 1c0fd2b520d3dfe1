import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { createHash } from "node:crypto"
import { system } from "../../../src/domain/kernel/Actor.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Setup } from "../../../src/services/identity/Setup.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { browserOf, fromElsewhere, login, password, proxied } from "../people.ts"

const tokenOf = (link: Option.Option<string>) => new URL(Option.getOrThrow(link)).searchParams.get("token") ?? ""

const newLink = Effect.flatMap(Setup, (setup) => setup.createLink())

const complete = (
  token: string,
  options: { readonly email?: string; readonly headers?: Record<string, string> } = {}
) =>
  request("POST", "//setup/complete", {
    body: { token, email: options.email ?? "first@example.com", display_name: "First", password },
    headers: options.headers ?? fromElsewhere()
  })

describe.each(laneEngines)("first boot on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("the link opens the brain once", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual((yield* request("GET", "//setup/status")).json, { first_boot: true })
        const link = yield* newLink
        assert.match(Option.getOrThrow(link), /^http:\/\/localhost\/setup\?token=[\w-]{43}$/)
        const stored = yield* sql`SELECT * FROM setup_tokens`
        assert.notInclude(JSON.stringify(stored), tokenOf(link))

        assert.deepInclude((yield* complete("not the token")).json, { status: 403, code: "setup_token_invalid" })
        assert.deepInclude((yield* complete("short")).json, { status: 422 })
        yield* sql`UPDATE setup_tokens SET expires_at = ${Timestamp.addSeconds(yield* Timestamp.now, -1)}`
        assert.deepInclude((yield* complete(tokenOf(link))).json, { status: 403, code: "setup_token_invalid" })

        const [one, other] = [tokenOf(yield* newLink), tokenOf(yield* newLink)]
        const race = yield* Effect.all([complete(one), complete(other, { email: "second@example.com" })], {
          concurrency: "unbounded"
        })
        assert.sameMembers(race.map(({ status }) => status), [200, 409])
        const won = race.find(({ status }) => status === 200)
        assert.deepInclude(won?.json.user, { is_admin: true, display_name: "First", timezone: "UTC" })

        assert.isDefined(won)
        // the response signs the browser in, as a member of the first project whose proof is fresh
        const cookies = won.headers.getSetCookie() ?? []
        assert.match(cookies[0] ?? "", /^svc_session=[\w-]{43}; .*HttpOnly; SameSite=Lax/)
        assert.match(cookies[1] ?? "", /^svc_csrf=[^;]+; .*SameSite=Strict/)
        const browser = browserOf(won)
        const me = yield* request("GET", "/auth/me", { headers: browser })
        assert.deepStrictEqual(me.json.memberships, [
          { project_id: won?.json.project_id, project_slug: "default", role: "admin" }
        ])
        const agent = yield* request("POST", "/projects/default/agents", { headers: browser, body: { name: "first" } })
        assert.strictEqual(agent.status, 201)
        const lost = race.find(({ status }) => status === 409)
        assert.deepStrictEqual(lost?.headers.getSetCookie(), [])
        const [listed] = (yield* request("GET", "/users", { headers: browser })).json
        assert.isNotNull(listed.last_login_at)
        const project = yield* request("GET", "/projects/default", { headers: browser })
        assert.strictEqual(project.json.id, won?.json.project_id)
        assert.deepStrictEqual((yield* request("GET", "//setup/status")).json, { first_boot: false })
        assert.deepStrictEqual((yield* request("GET", "/setup/status")).json, { first_boot: false })
        assert.deepInclude((yield* complete(one)).json, { status: 409, code: "setup_done" })
        assert.deepStrictEqual(yield* newLink, Option.none())
        const late = yield* Effect.flatMap(Setup, (setup) =>
          setup.bootstrapAdmin({ email: "late@example.com", displayName: null, password: Redacted.make(password) }))
          .pipe(Effect.flip)
        assert.deepInclude(late, { _tag: "Conflict", code: "setup_done" })
        const actions = yield* sql<{ action: string }>`SELECT action FROM audit_log ORDER BY seq`
        assert.deepStrictEqual(
          actions.map(({ action }) =>
            action
          ),
          ["project.created", "membership.granted", "setup.completed", "auth.login", "agent.created"]
        )
      }))
  })

  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("the command line makes the first admin without a link, and voids the links", () =>
      Effect.gen(function*() {
        const link = yield* newLink
        const setup = yield* Setup
        const created = yield* setup.bootstrapAdmin({
          email: "Boss@Example.com",
          displayName: null,
          password: Redacted.make(password)
        })
        assert.deepInclude(created.user, { email: "Boss@Example.com", is_admin: true })
        assert.strictEqual((yield* login("boss@example.com")).status, 200)
        assert.strictEqual((yield* complete(tokenOf(link))).status, 409)
      }))
  })

  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("links can be voided until there is a user, which the audit log records", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const reset = Effect.flatMap(Setup, (setup) => setup.resetTokens()).pipe(
          Effect.provideService(CurrentActor, system("test"))
        )
        const link = yield* newLink
        yield* newLink
        assert.strictEqual(yield* reset, 2)
        assert.deepInclude((yield* complete(tokenOf(link))).json, { status: 403, code: "setup_token_invalid" })
        const [row] = yield* sql<{ action: string; metadata: string }>`SELECT action, metadata FROM audit_log`
        assert.strictEqual(row?.action, "setup.tokens_reset")
        assert.deepInclude(JSON.parse(row?.metadata ?? ""), { tokens: 2 })
        const weak = { token: tokenOf(yield* newLink), email: "first@example.com", display_name: "First" }
        for (const password of ["first@example.com", "password1234", "eleven char"]) {
          const refused = yield* request("POST", "//setup/complete", {
            body: { ...weak, password },
            headers: fromElsewhere()
          })
          assert.strictEqual(refused.json.details?.issues[0].path, "password", password)
          assert.notInclude(refused.text, `"${password}"`)
        }
        assert.strictEqual((yield* complete(weak.token)).status, 200)
        assert.deepInclude(yield* Effect.flip(reset), { _tag: "Conflict", code: "setup_done" })
      }))
  })

  layer(serverOn(engine, { ...proxied, firstBootAttemptsPerIp: 2 }), { excludeTestServices: true })((it) => {
    it.effect("attempts at the same time are all counted", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const headers = fromElsewhere()
        const tries = yield* Effect.all(Array.from({ length: 5 }, () => complete("not the token", { headers })), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(tries.map(({ status }) => status).sort(), [403, 403, 429, 429, 429])
        yield* sql`DELETE FROM setup_attempts`
      }))

    it.effect("attempts are few: in memory by address, in the database by address and in all", () =>
      Effect.gen(function*() {
        const headers = fromElsewhere()
        const tries = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => complete("not the token", { headers }))
        assert.deepStrictEqual(tries.map(({ status }) => status), [403, 403, 429, 429, 429, 429])
        const elsewhere = yield* Effect.forEach(Array.from({ length: 15 }), () => complete("not the token"))
        assert.deepStrictEqual(elsewhere.map(({ status }) => status), [...Array.from({ length: 14 }, () => 403), 429])
      }))
  })

  layer(serverOn(engine, { ...proxied, firstBootAttemptsPerIp: 1000 }), { excludeTestServices: true })((it) => {
    it.effect("five attempts in fifteen minutes from one address", () =>
      Effect.gen(function*() {
        const headers = fromElsewhere()
        const tries = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => complete("not the token", { headers }))
        assert.deepStrictEqual(tries.map(({ status }) => status), [403, 403, 403, 403, 403, 429])
        const foreign = yield* complete("not the token", {
          headers: { ...fromElsewhere(), origin: "https://evil.example" }
        })
        assert.strictEqual(foreign.json.code, "csrf_failed")
      }))

    it.effect("the page carries all it needs, and its policy lets nothing else run", () =>
      Effect.gen(function*() {
        const page = yield* request("GET", "//setup?token=abc")
        assert.strictEqual(page.status, 200)
        assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
        const policy = page.headers.get("content-security-policy") ?? ""
        assert.match(
          policy,
          /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; connect-src 'self';/
        )
        for (const tag of ["script", "style"]) {
          const inner = new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`).exec(page.text)?.[1] ?? ""
          assert.isAbove(inner.length, 100)
          assert.include(policy, `${tag}-src 'sha256-${createHash("sha256").update(inner).digest("base64")}'`)
        }
        assert.notMatch(page.text, /(src|href)="(https?:)?\/\//)
        assert.notInclude(page.text, "abc", "the token stays in the address bar")
      }))
  })
})
