import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { freshProject, request, serverOn } from "../brain.ts"
import { engines } from "../databases.ts"
import { oidcSettings, type ProviderPerson, startProvider } from "../oidcProvider.ts"
import { browserOf, freshUser, fromElsewhere, login, password, proxied, sessionOf } from "./people.ts"

class TestProvider extends Context.Tag("test/Provider")<TestProvider, Effect.Effect.Success<typeof startProvider>>() {}

const groupRoles = [
  { group: "team", slug: "oidc-shop", role: "operator" },
  { group: "leads", slug: "oidc-shop", role: "admin" },
  { group: "audit", slug: "oidc-books", role: "auditor" }
] as const

const site = (engine: (typeof engines)[number], overrides: object = {}) =>
  Layer.unwrapEffect(
    Effect.map(TestProvider, ({ issuer }) =>
      serverOn(engine, { ...proxied, ...oidcSettings, oidcIssuer: issuer, oidcGroupRoles: groupRoles, ...overrides }))
  )
    .pipe(
      Layer.provideMerge(Layer.scoped(TestProvider, startProvider)),
      Layer.orDie
    )

const cookieOf = (headers: Headers) => headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]).join("; ")

/** A browser that signs in through the provider: the answer to its callback. */
const signIn = (
  subject: string,
  person: ProviderPerson,
  options: { readonly query?: string; readonly cookie?: string } = {}
) =>
  Effect.gen(function*() {
    const { authorize } = yield* TestProvider
    const headers = fromElsewhere()
    const started = yield* request("GET", `/auth/oidc/start${options.query ?? ""}`, { headers })
    assert.strictEqual(started.status, 303, started.text)
    const search = yield* authorize(started.headers.get("location")!, subject, person)
    const cookie = [cookieOf(started.headers), options.cookie ?? ""].filter((part) => part !== "").join("; ")
    return yield* request("GET", `/auth/oidc/callback${search}`, { headers: { ...headers, cookie } })
  })

const me = (answer: { readonly headers: Headers }) =>
  Effect.map(request("GET", "/auth/me", { headers: { cookie: cookieOf(answer.headers) } }), ({ json }) => json)

const rolesOf = (
  account: { readonly memberships: ReadonlyArray<{ readonly project_slug: string; readonly role: string }> }
) => Object.fromEntries(account.memberships.map(({ project_slug, role }) => [project_slug, role]))

const freshEmail = () => `p-${randomUUID().slice(0, 8)}@example.com`

/** The browser of a signed-in user begins a link; the cookies and the provider's answer. */
const beginLink = (user: { readonly id: string }, subject: string) =>
  Effect.gen(function*() {
    const { authorize } = yield* TestProvider
    const browser = yield* sessionOf(user.id)
    const begun = yield* request("POST", "/auth/oidc/link", { headers: browser, body: { return_to: "/account" } })
    assert.strictEqual(begun.status, 200, begun.text)
    const search = yield* authorize(begun.json.authorization_url, subject)
    return { browser, attempt: cookieOf(begun.headers), search }
  })

const callback = (search: string, cookie: string) =>
  request("GET", `/auth/oidc/callback${search}`, { headers: { ...fromElsewhere(), cookie } })

describe.each(engines)("sign-in through a provider on %s", (engine) => {
  layer(site(engine), { excludeTestServices: true })((it) => {
    it.effect("groups create the account, give roles, and take them back at the next sign-in", () =>
      Effect.gen(function*() {
        yield* freshProject({ slug: "oidc-shop" })
        yield* freshProject({ slug: "oidc-books" })
        const subject = randomUUID()
        const email = freshEmail()
        const person = { email, email_verified: true, name: "Ada Lovelace" }

        assert.strictEqual((yield* signIn(subject, person)).json.code, "oidc_not_linked")
        const first = yield* signIn(subject, { ...person, groups: ["team", "audit"] }, { query: "?return_to=/tasks" })
        assert.strictEqual(first.status, 303, first.text)
        assert.strictEqual(first.headers.get("location"), "/tasks")
        const account = yield* me(first)
        assert.deepInclude(account, { email, display_name: "Ada Lovelace", is_admin: false })
        assert.deepStrictEqual(rolesOf(account), { "oidc-shop": "operator", "oidc-books": "auditor" })

        const second = yield* signIn(subject, { ...person, groups: ["team", "leads"] })
        assert.deepStrictEqual(rolesOf(yield* me(second)), { "oidc-shop": "admin" })
        const third = yield* signIn(subject, person)
        assert.deepStrictEqual(rolesOf(yield* me(third)), {})
        // a password was never set: none signs in
        assert.strictEqual((yield* login(email, { password: "" })).status, 422)
        assert.strictEqual((yield* login(email)).json.code, "login_failed")
      }))

    it.effect("a membership that a person granted stays as it is", () =>
      Effect.gen(function*() {
        const other = yield* freshProject()
        const user = yield* freshUser({ roles: { [other.slug]: "viewer" } })
        const { attempt, browser, search } = yield* beginLink(user, `s-${user.id}`)
        const linked = yield* callback(search, `${attempt}; ${browser.cookie}`)
        assert.strictEqual(linked.status, 303, linked.text)
        assert.strictEqual(linked.headers.get("location"), "/account")
        const signedIn = yield* signIn(`s-${user.id}`, {})
        assert.deepStrictEqual(rolesOf(yield* me(signedIn)), { [other.slug]: "viewer" })
      }))

    it.effect("an address alone links nothing: neither a known one nor one that is not verified", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const groups = ["team"]
        const known = { email: user.email, email_verified: true, groups }
        assert.strictEqual((yield* signIn(randomUUID(), known)).json.code, "oidc_not_linked")
        const unverified = { email: freshEmail(), email_verified: false, groups }
        assert.strictEqual((yield* signIn(randomUUID(), unverified)).json.code, "oidc_not_linked")
      }))

    it.effect("only the session that asked for a link completes it, once", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const thief = yield* sessionOf((yield* freshUser()).id)
        const subject = randomUUID()
        const { attempt, browser, search } = yield* beginLink(user, subject)
        assert.strictEqual((yield* callback(search, `${attempt}; ${thief.cookie}`)).json.code, "oidc_refused")
        const again = yield* beginLink(user, subject)
        assert.strictEqual((yield* callback(again.search, again.attempt)).json.code, "oidc_refused")
        const third = yield* beginLink(user, subject)
        assert.strictEqual((yield* callback(third.search, `${third.attempt}; ${third.browser.cookie}`)).status, 303)
        // the provider's account belongs to one user
        const fourth = yield* beginLink(yield* freshUser(), subject)
        const taken = yield* callback(fourth.search, `${fourth.attempt}; ${fourth.browser.cookie}`)
        assert.strictEqual(taken.json.code, "oidc_already_linked")
        const listed = yield* request("GET", "/auth/oidc/identities", { headers: browser })
        assert.strictEqual(listed.json[0].subject, subject)
        const gone = yield* request("DELETE", `/auth/oidc/identities/${listed.json[0].id}`, { headers: browser })
        assert.strictEqual(gone.status, 204)
        assert.strictEqual((yield* signIn(subject, {})).json.code, "oidc_not_linked")
      }))

    it.effect("an answer that is used twice, changed, of another browser or without its cookie is refused", () =>
      Effect.gen(function*() {
        const { authorize } = yield* TestProvider
        const start = Effect.map(
          request("GET", "/auth/oidc/start", { headers: fromElsewhere() }),
          ({ headers }) => ({ cookie: cookieOf(headers), url: headers.get("location")! })
        )
        const user = yield* freshUser()
        const link = yield* beginLink(user, `twice-${user.id}`)
        yield* callback(link.search, `${link.attempt}; ${link.browser.cookie}`)
        const mine = yield* start
        const theirs = yield* start
        const search = yield* authorize(mine.url, `twice-${user.id}`)
        const refusals = [
          callback(search, ""),
          callback(search, "svc_oidc=bm9uc2Vuc2U"),
          callback(search, theirs.cookie),
          callback(search.replace(/state=[^&]+/, "state=other"), mine.cookie),
          callback(search.replace(/code=[^&]+/, "code=other"), mine.cookie),
          callback(search.replace(/iss=[^&]+/, "iss=http%3A%2F%2Fevil.example"), mine.cookie),
          callback("?error=access_denied&state=x", mine.cookie),
          callback("", mine.cookie)
        ]
        for (const refusal of refusals) assert.strictEqual((yield* refusal).json.code, "oidc_refused")
        const fresh = yield* start
        const good = yield* authorize(fresh.url, `twice-${user.id}`)
        assert.strictEqual((yield* callback(good, fresh.cookie)).status, 303)
        assert.strictEqual((yield* callback(good, fresh.cookie)).json.code, "oidc_refused")
      }))

    it.effect("a sign-in is no step-up unless the provider asked for the password, and a second factor stays owed", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const subject = `step-${user.id}`
        const link = yield* beginLink(user, subject)
        yield* callback(link.search, `${link.attempt}; ${link.browser.cookie}`)
        const stepUp = (answer: { readonly headers: Headers }) =>
          Effect.gen(function*() {
            const browser = browserOf(answer as Parameters<typeof browserOf>[0]) // the cookies are all it reads
            return yield* request("POST", "/auth/oidc/link", { headers: browser, body: {} })
          })
        assert.strictEqual((yield* stepUp(yield* signIn(subject, {}))).json.code, "mfa_reverify_required")
        const fresh = yield* signIn(subject, {}, { query: "?fresh=true" })
        assert.strictEqual((yield* stepUp(fresh)).status, 200)

        const at = "2026-01-01T00:00:00.000000Z"
        yield* sql`UPDATE users SET mfa_secret = 'sealed', mfa_enrolled_at = ${at} WHERE id = ${user.id}`
        const owing = yield* signIn(subject, {}, { query: "?fresh=true" })
        const refused = yield* request("GET", "/auth/sessions", { headers: { cookie: cookieOf(owing.headers) } })
        assert.strictEqual(refused.json.code, "mfa_required")

        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${user.id}`
        assert.strictEqual((yield* signIn(subject, {})).json.code, "oidc_not_linked")
      }))

    it.effect("a link that is the only way to sign in stays, and signing out tells the provider's page", () =>
      Effect.gen(function*() {
        const subject = randomUUID()
        const person = { email: freshEmail(), email_verified: true, groups: ["team"] }
        const signedIn = yield* signIn(subject, person, { query: "?fresh=true" })
        const browser = browserOf(signedIn)
        const [identity] = (yield* request("GET", "/auth/oidc/identities", { headers: browser })).json
        const unlink = request("DELETE", `/auth/oidc/identities/${identity.id}`, { headers: browser })
        assert.strictEqual((yield* unlink).json.code, "last_sign_in_method")
        const out = yield* request("POST", "/auth/oidc/logout", { headers: browser })
        assert.match(out.json.logout_url, /^http:\/\/127\.0\.0\.1:\d+\/session\/end\?/)
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: browser })).status, 401)
      }))

    it.effect("the start redirects to this site's paths only", () =>
      Effect.gen(function*() {
        for (const path of ["//evil.example", "https://evil.example", "/\\evil.example", "tasks", "/a\r\nb"]) {
          const answer = yield* request("GET", `/auth/oidc/start?return_to=${encodeURIComponent(path)}`, {
            headers: fromElsewhere()
          })
          assert.strictEqual(answer.status, 422, path)
        }
        const { json } = yield* request("GET", "/auth/oidc")
        assert.deepInclude(json, { enabled: true, password_login: "all" })
      }))
  })
})

describe("without passwords, and without a provider", () => {
  layer(site("SQLite", { passwordLogin: "global_admins" }), { excludeTestServices: true })((it) => {
    it.effect("only global admins sign in with a password: the way back in", () =>
      Effect.gen(function*() {
        const admin = yield* freshUser({ isAdmin: true })
        const user = yield* freshUser()
        assert.strictEqual((yield* login(admin.email)).status, 200)
        assert.strictEqual((yield* login(user.email)).json.code, "password_login_disabled")
        assert.strictEqual((yield* login(user.email, { password: `${password}!` })).json.code, "login_failed")
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql`SELECT last_login_at FROM users WHERE id = ${user.id}`
        assert.isNull(row!.last_login_at)
      }))
  })

  layer(serverOn("SQLite", { ...proxied, oidcIssuer: "http://127.0.0.1:9" }), { excludeTestServices: true })((it) => {
    it.effect("a provider that is away is 503, and passwords still work", () =>
      Effect.gen(function*() {
        const answer = yield* request("GET", "/auth/oidc/start", { headers: fromElsewhere() })
        assert.strictEqual(answer.status, 503)
        assert.strictEqual((yield* login((yield* freshUser()).email)).status, 200)
      }))
  })

  layer(serverOn("SQLite", proxied), { excludeTestServices: true })((it) => {
    it.effect("no provider is configured", () =>
      Effect.gen(function*() {
        const answer = yield* request("GET", "/auth/oidc/start", { headers: fromElsewhere() })
        assert.strictEqual(answer.json.code, "oidc_not_configured")
        const browser = yield* sessionOf((yield* freshUser()).id)
        const out = yield* request("POST", "/auth/oidc/logout", { headers: browser })
        assert.deepStrictEqual(out.json, { logout_url: null })
      }))
  })
})
