import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { generateKeyPair, type JWTPayload, UnsecuredJWT } from "jose"
import { createHash, createSecretKey, randomUUID } from "node:crypto"
import { forUpdate } from "../../../src/services/kernel/sql/Dialect.ts"
import { baseUrl, freshProject, request, serverOn } from "../../brain.ts"
import type { Engine } from "../../databases.ts"
import { laneEngines } from "../../engines.ts"
import { logoutClaims, logoutPath, oidcSettings, type ProviderPerson, startProvider } from "../../oidcProvider.ts"
import { until } from "../../until.ts"
import { browserOf, freshUser, fromElsewhere, login, password, proxied, sessionOf } from "../people.ts"

class TestProvider extends Context.Tag("test/Provider")<
  TestProvider,
  Effect.Effect.Success<ReturnType<typeof startProvider>>
>() {}

const groupRoles = [
  { group: "team", slug: "oidc-shop", role: "operator" },
  { group: "leads", slug: "oidc-shop", role: "admin" },
  { group: "audit", slug: "oidc-books", role: "auditor" }
] as const

const site = (
  engine: (typeof laneEngines)[number],
  overrides: object = {},
  claimsAt: Parameters<typeof startProvider>[0]["claimsAt"] = "id token"
) =>
  Layer.unwrapEffect(
    Effect.map(TestProvider, ({ issuer }) =>
      serverOn(engine, { ...proxied, ...oidcSettings, oidcIssuer: issuer, oidcGroupRoles: groupRoles, ...overrides }))
  )
    .pipe(
      Layer.provideMerge(Layer.scoped(TestProvider, startProvider({ claimsAt }))),
      Layer.orDie
    )

const cookieOf = (headers: Headers) => headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]).join("; ")

/** A browser that signs in through the provider: the response to its callback. */
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

const me = (response: { readonly headers: Headers }) =>
  Effect.map(request("GET", "/auth/me", { headers: { cookie: cookieOf(response.headers) } }), ({ json }) => json)

const rolesOf = (
  account: { readonly memberships: ReadonlyArray<{ readonly project_slug: string; readonly role: string }> }
) => Object.fromEntries(account.memberships.map(({ project_slug, role }) => [project_slug, role]))

const freshEmail = () => `p-${randomUUID().slice(0, 8)}@example.com`

/** The browser of a signed-in user begins a link; the cookies and the provider's response. */
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

/** A user whose account at the provider signs in; `subject` is its id there. */
const linkedUser = (roles: Parameters<typeof freshUser>[0] = {}) =>
  Effect.gen(function*() {
    const user = yield* freshUser(roles)
    const subject = `l-${user.id}`
    const link = yield* beginLink(user, subject)
    assert.strictEqual((yield* callback(link.search, `${link.attempt}; ${link.browser.cookie}`)).status, 303)
    return { ...user, subject }
  })

/** Sends a logout token as a provider does, from an address of its own. */
const postLogout = (token: string, type = "application/x-www-form-urlencoded") =>
  request("POST", logoutPath, {
    raw: new URLSearchParams({ logout_token: token }).toString(),
    headers: { ...fromElsewhere(), "content-type": type }
  })

const sidOf = (user: { readonly id: string }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ oidc_sid: string }>`
      SELECT oidc_sid FROM sessions WHERE user_id = ${user.id} AND oidc_sid IS NOT NULL ORDER BY id DESC LIMIT 1`
    return row!.oidc_sid
  })

const isSignedIn = (browser: { readonly cookie: string }) =>
  Effect.map(request("GET", "/auth/me", { headers: { cookie: browser.cookie } }), ({ status }) => status === 200)

const logoutRows = (user: { readonly id: string }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ metadata: string }>`
      SELECT metadata FROM audit_log WHERE action = 'auth.oidc_logout' AND target_id = ${user.id} ORDER BY seq`
    return rows.map(({ metadata }) => JSON.parse(metadata))
  })

/** The metadata of the audit rows of the user's sign-ins. */
const loginRows = (user: { readonly email: string }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ metadata: string }>`
      SELECT metadata FROM audit_log WHERE action = 'auth.login'
        AND user_id = (SELECT id FROM users WHERE email = ${user.email}) ORDER BY seq`
    return rows.map(({ metadata }) => JSON.parse(metadata))
  })

/**
 * Waits until at least so many transactions wait for a lock. SQLite does not show them: they wait in the program, in
 * their order.
 */
const untilWaiting = (engine: Engine, count: number) =>
  Effect.gen(function*() {
    if (engine === "SQLite") return yield* Effect.sleep("300 millis")
    const sql = yield* SqlClient.SqlClient
    // a transaction sees the activity of its first query, unless it lets go of that
    const waiting = Effect.zipRight(
      sql`SELECT pg_stat_clear_snapshot()`,
      sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    )
    yield* until(waiting, ([row]) => (row?.n ?? 0) >= count, "20 seconds")
  })

describe.each(laneEngines)("sign-in through a provider on %s", (engine) => {
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
        const third = yield* signIn(subject, { ...person, groups: [] })
        assert.deepStrictEqual(rolesOf(yield* me(third)), {})
        // a password was never set: none signs in
        assert.strictEqual((yield* login(email, { password: "" })).status, 422)
        assert.strictEqual((yield* login(email)).json.code, "login_failed")
      }))

    it.effect("without a claim of groups the roles remain, and the audit row of the sign-in says so", () =>
      Effect.gen(function*() {
        const subject = randomUUID()
        const person = { email: freshEmail(), email_verified: true }
        const first = yield* signIn(subject, { ...person, groups: ["team"] })
        const roles = rolesOf(yield* me(first))
        assert.deepStrictEqual(Object.values(roles), ["operator"])
        for (const groups of [undefined, null, "", {}, [1]]) {
          assert.deepStrictEqual(rolesOf(yield* me(yield* signIn(subject, { ...person, groups }))), roles)
        }
        const missing = { via: "oidc", groups: "missing" }
        const logins = yield* loginRows(yield* me(first))
        assert.notProperty(logins[0], "groups")
        for (const login of logins.slice(1)) assert.deepInclude(login, missing)
        assert.lengthOf(logins, 6)
        assert.deepStrictEqual(rolesOf(yield* me(yield* signIn(subject, { ...person, groups: "leads" }))), {
          "oidc-shop": "admin"
        })
        assert.deepStrictEqual(rolesOf(yield* me(yield* signIn(subject, { ...person, groups: [] }))), {})
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
        for (const email_verified of [false, undefined]) {
          const unverified = { email: freshEmail(), email_verified, groups }
          assert.strictEqual((yield* signIn(randomUUID(), unverified)).json.code, "oidc_not_linked")
        }
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

    it.effect("a response that is used twice, changed, of another browser or without its cookie is refused", () =>
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

    it.effect("the cookie of a sign-in is authenticated, and a made-up one neither signs in nor redirects", () =>
      Effect.gen(function*() {
        const { authorize } = yield* TestProvider
        const user = yield* linkedUser()
        const { headers } = yield* request("GET", "/auth/oidc/start", { headers: fromElsewhere() })
        const url = new URL(headers.get("location")!)
        const verifier = "v".repeat(43)
        url.searchParams.set("code_challenge", createHash("sha256").update(verifier).digest("base64url"))
        const attempt = {
          state: url.searchParams.get("state"),
          nonce: url.searchParams.get("nonce"),
          verifier,
          return_to: "https://evil.example/",
          fresh: true,
          link_session: null,
          expires_at: 9_000_000_000_000
        }
        const search = yield* authorize(url.href, user.subject)
        const forged = Buffer.from(JSON.stringify(attempt)).toString("base64url")
        const refused = yield* callback(search, `svc_oidc=${forged}`)
        assert.deepInclude(refused.json, { status: 403, code: "oidc_refused" })
        assert.isNull(refused.headers.get("location"))

        const own = /svc_oidc=([^;]+)/.exec(cookieOf(headers))?.[1] ?? ""
        const text = Buffer.from(own, "base64url").toString()
        assert.notInclude(text, attempt.state ?? "no state") // nor can it be read
        const changed = Buffer.from(text.slice(0, -2) + (text.endsWith("AA") ? "BB" : "AA")).toString("base64url")
        assert.strictEqual((yield* callback(search, `svc_oidc=${changed}`)).json.code, "oidc_refused")
      }))

    it.effect("an address that came from the provider follows it; another one stays", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [subject, first, second] = [randomUUID(), freshEmail(), freshEmail()]
        const claims = (email: string, email_verified = true) => ({ email, email_verified, groups: ["team"] })
        const created = yield* me(yield* signIn(subject, claims(first)))
        assert.strictEqual(created.email, first)
        assert.strictEqual((yield* me(yield* signIn(subject, claims(second, false)))).email, first, "not verified")
        assert.strictEqual((yield* me(yield* signIn(subject, claims(second)))).email, second)
        assert.strictEqual((yield* login(second)).status, 401) // known, and without a password
        const [row] = yield* sql<{ email_key: string }>`SELECT email_key FROM users WHERE id = ${created.id}`
        assert.strictEqual(row?.email_key, second)
        const [audited] = yield* sql<{ metadata: string }>`
          SELECT metadata FROM audit_log WHERE action = 'user.email_changed' AND target_id = ${created.id}`
        assert.deepStrictEqual(JSON.parse(audited?.metadata ?? ""), { from: first, to: second, by: "oidc" })

        const other = yield* freshUser()
        const taken = yield* signIn(subject, claims(other.email))
        assert.strictEqual((yield* me(taken)).email, second, "the address of another user")
        const own = yield* linkedUser() // has an address here that is not the provider's
        assert.strictEqual((yield* me(yield* signIn(own.subject, claims(freshEmail())))).email, own.email)
      }))

    it.effect("a sign-in is no step-up unless the provider asked for the password, and a second factor stays owed", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const user = yield* freshUser()
        const subject = `step-${user.id}`
        const link = yield* beginLink(user, subject)
        yield* callback(link.search, `${link.attempt}; ${link.browser.cookie}`)
        const stepUp = (response: { readonly headers: Headers }) =>
          Effect.gen(function*() {
            const browser = browserOf(response as Parameters<typeof browserOf>[0]) // the cookies are all it reads
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

    it.effect("a link that is the only way to sign in stays, and signing out returns the provider's page", () =>
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

    it.effect("the end of a sign-in at the provider ends its session here with its streams, and no other", () =>
      Effect.gen(function*() {
        const { issuer, signLogout, signOut } = yield* TestProvider
        const project = yield* freshProject()
        const user = yield* linkedUser({ roles: { [project.slug]: "viewer" } })
        const other = yield* linkedUser()
        const first = browserOf(yield* signIn(user.subject, {}))
        const second = browserOf(yield* signIn(user.subject, {}))
        const password = yield* sessionOf(user.id)
        const theirs = browserOf(yield* signIn(other.subject, {}))
        const base = yield* baseUrl
        const stream = yield* Effect.promise(() =>
          fetch(`${base}/api/v1/projects/${project.slug}/stream`, { headers: second })
        )
        assert.strictEqual(stream.status, 200)
        const streamed = yield* Effect.fork(Effect.promise(() => stream.text()))
        const sid = yield* sidOf(user)

        const [response] = yield* signOut(user.subject, base)
        assert.strictEqual(response?.status, 200, "the provider accepts no other response")
        assert.strictEqual(response?.headers.get("cache-control"), "no-store")
        yield* Fiber.join(streamed)
        assert.deepStrictEqual(yield* Effect.forEach([first, second, password, theirs], isSignedIn), [
          true,
          false,
          true,
          true
        ])
        const ended = { by: "oidc", sessions: 1, issuer, subject: user.subject, sid }
        assert.deepStrictEqual(yield* logoutRows(user), [ended])

        // what has ended already is no failure, and nothing to record
        const again = yield* postLogout(yield* signLogout(logoutClaims(issuer, { sub: user.subject, sid })))
        assert.strictEqual(again.status, 200, again.text)
        // a sid is of one subject
        yield* postLogout(yield* signLogout(logoutClaims(issuer, { sub: user.subject, sid: yield* sidOf(other) })))

        const third = browserOf(yield* signIn(user.subject, {}))
        assert.strictEqual(
          (yield* postLogout(yield* signLogout(logoutClaims(issuer, { sub: user.subject })))).status,
          200
        )
        assert.deepStrictEqual(yield* Effect.forEach([first, third, password, theirs], isSignedIn), [
          false,
          false,
          true,
          true
        ])
        assert.deepStrictEqual(yield* logoutRows(user), [ended, { ...ended, sessions: 2, sid: null }])
        assert.deepStrictEqual(yield* logoutRows(other), [])
      }))

    it.effect("a sign-in that the provider ends before its session begins has no session", () =>
      Effect.gen(function*() {
        const { beforeIdToken, issuer, signLogout } = yield* TestProvider
        const user = yield* linkedUser()
        const base = yield* baseUrl
        /** Signs in, and the provider sends logout tokens before the brain has the ID token. */
        const signInWhile = (ends: (sid: string) => ReadonlyArray<Parameters<typeof logoutClaims>[1]>) =>
          Effect.gen(function*() {
            const statuses: Array<number> = []
            beforeIdToken(async ({ sid }) => {
              for (const ended of ends(String(sid))) {
                const logout_token = await Effect.runPromise(signLogout(logoutClaims(issuer, ended)))
                const body = new URLSearchParams({ logout_token })
                statuses.push((await fetch(`${base}/api/v1${logoutPath}`, { method: "POST", body })).status)
              }
            })
            const response = yield* signIn(user.subject, {})
            assert.strictEqual(new Set(statuses).size, 1)
            assert.include(statuses, 200)
            return response
          })
        const sub = user.subject
        // the sign-in of another person, and another sign-in of this person
        const other = yield* signInWhile((sid) => [{ sid, sub: randomUUID() }, { sid: randomUUID(), sub }])
        assert.isTrue(yield* isSignedIn(browserOf(other)))
        for (const ended of [(sid: string) => ({ sid, sub }), (sid: string) => ({ sid }), () => ({ sub })]) {
          const refused = yield* signInWhile((sid) => [ended(sid)])
          assert.strictEqual(refused.json.code, "oidc_refused")
          assert.notInclude(cookieOf(refused.headers), "session=")
        }
      }))

    it.effect("a session that begins while its sign-in ends has ended, in either order", () =>
      Effect.gen(function*() {
        const { issuer, signLogout } = yield* TestProvider
        const sql = yield* SqlClient.SqlClient
        /** The provider ends all sign-ins of the user that began until now, and some seconds more. */
        const endAll = (user: { readonly subject: string }) =>
          Effect.suspend(() => {
            const { iat = 0, ...claims } = logoutClaims(issuer, { sub: user.subject })
            return Effect.flatMap(signLogout({ ...claims, iat: iat + 20 }), postLogout)
          })
        /** Both wait in their transactions, in this order, until the test lets go of the user's row. */
        const interleave = <A, B, E, F, R, S>(
          user: { readonly id: string },
          first: Effect.Effect<A, E, R>,
          second: Effect.Effect<B, F, S>
        ) =>
          Effect.gen(function*() {
            const begun = yield* sql.withTransaction(Effect.gen(function*() {
              yield* sql`SELECT 1 FROM users WHERE id = ${user.id} ${forUpdate(sql)}`
              const one = yield* Effect.fork(first)
              yield* untilWaiting(engine, 1)
              const two = yield* Effect.fork(second)
              yield* untilWaiting(engine, 2)
              return [one, two] as const
            }))
            return [yield* Fiber.join(begun[0]), yield* Fiber.join(begun[1])] as const
          })

        const hasSession = (response: { readonly status: number; readonly headers: Headers }) =>
          response.status === 303 ? isSignedIn({ cookie: cookieOf(response.headers) }) : Effect.succeed(false)

        const early = yield* linkedUser()
        const [begun, ended] = yield* interleave(early, signIn(early.subject, {}), endAll(early))
        assert.strictEqual(ended.status, 200)
        if (engine === "PostgreSQL") assert.strictEqual(begun.status, 303)
        assert.isFalse(yield* hasSession(begun))

        const late = yield* linkedUser()
        const former = browserOf(yield* signIn(late.subject, {}))
        const [revoked, refused] = yield* interleave(late, endAll(late), signIn(late.subject, {}))
        assert.strictEqual(revoked.status, 200)
        if (engine === "PostgreSQL") assert.strictEqual(refused.json.code, "oidc_refused")
        assert.deepStrictEqual([yield* hasSession(refused), yield* isSignedIn(former)], [false, false])
      }))

    it.effect("a session in which the password changes still ends with its sign-in at the provider", () =>
      Effect.gen(function*() {
        const { issuer, signLogout } = yield* TestProvider
        const user = yield* linkedUser()
        const browser = browserOf(yield* signIn(user.subject, {}))
        const sid = yield* sidOf(user)
        const body = { current_password: password, new_password: randomUUID() }
        const changed = yield* request("POST", "/auth/change-password", { headers: browser, body })
        assert.strictEqual(changed.status, 200, changed.text)
        assert.isTrue(yield* isSignedIn(browserOf(changed)))
        yield* postLogout(yield* signLogout(logoutClaims(issuer, { sid })))
        assert.isFalse(yield* isSignedIn(browserOf(changed)))
      }))

    it.effect("a logout token is used once, and one that is not valid ends nothing", () =>
      Effect.gen(function*() {
        const { issuer, keyReads, signLogout } = yield* TestProvider
        const user = yield* linkedUser()
        const browser = browserOf(yield* signIn(user.subject, {}))
        const claims = logoutClaims(issuer, { sid: yield* sidOf(user), sub: user.subject })
        const { iat = 0 } = claims
        const without = (name: keyof JWTPayload) =>
          Object.fromEntries(Object.entries(claims).filter(([other]) => other !== name))
        const { privateKey } = yield* Effect.promise(() => generateKeyPair("RS256"))
        const good = yield* signLogout(claims)
        const [head = "", body = "", signature = ""] = good.split(".")
        const otherBody = Buffer.from(JSON.stringify({ ...claims, sub: "other" })).toString("base64url")
        const secret = createSecretKey(Buffer.from("svc".padEnd(32, ".")))
        const bad = {
          "no token": Effect.succeed("no token"),
          "of another key": signLogout(claims, {}, privateKey),
          "of an unknown key": signLogout(claims, { kid: "unknown" }, privateKey),
          "of another unknown key": signLogout(claims, { kid: "other" }, privateKey),
          "of a secret": signLogout(claims, { alg: "HS256" }, secret as unknown as typeof privateKey), // jose takes both
          unsigned: Effect.sync(() => new UnsecuredJWT(claims).encode()),
          "with no signature": Effect.succeed(`${head}.${body}.`),
          changed: Effect.succeed(`${head}.${otherBody}.${signature}`),
          expired: signLogout({ ...claims, iat: iat - 200, exp: iat - 60 }),
          "of the future": signLogout({ ...claims, iat: iat + 120, exp: iat + 240 }),
          "of last week": signLogout({ ...claims, iat: iat - 7 * 86_400 }),
          "for ever": signLogout(without("exp")),
          undated: signLogout(without("iat")),
          "of another issuer": signLogout({ ...claims, iss: "https://id.example.com" }),
          "for another client": signLogout({ ...claims, aud: "other" }),
          "for nobody": signLogout(without("aud")),
          "an ID token": signLogout(without("events")),
          "another event": signLogout({ ...claims, events: { "https://example.com/event": {} } }),
          "an event that is no object": signLogout({
            ...claims,
            events: { "http://schemas.openid.net/event/backchannel-logout": "yes" }
          }),
          "with a nonce": signLogout({ ...claims, nonce: "n" }),
          "without jti": signLogout(without("jti")),
          "an empty jti": signLogout({ ...claims, jti: "" }),
          "of nobody": signLogout(
            Object.fromEntries(Object.entries(without("sub")).filter(([name]) => name !== "sid"))
          ),
          "sub is no text": signLogout({ ...claims, sub: 1 as unknown as string }), // as another provider might send it
          "sid is no text": signLogout({ ...claims, sid: null }),
          "sid that no database holds": signLogout({ ...claims, sid: "\0" })
        }
        for (const [how, token] of Object.entries(bad)) {
          const response = yield* postLogout(yield* token)
          assert.deepInclude(response.json, { status: 400, code: "logout_token_refused" }, how)
        }
        assert.isTrue(yield* isSignedIn(browser))
        assert.isAtMost(keyReads(), 2, "unknown keys are looked for at most every 30 s, by each brain")

        const once = yield* Effect.all([postLogout(good), postLogout(good)], { concurrency: "unbounded" })
        assert.sameMembers(once.map(({ status }) => status), [200, 400])
        assert.isFalse(yield* isSignedIn(browser))
        assert.strictEqual((yield* postLogout(good)).json.code, "logout_token_refused")
      }))

    it.effect("the start redirects to this site's paths only", () =>
      Effect.gen(function*() {
        for (const path of ["//evil.example", "https://evil.example", "/\\evil.example", "tasks", "/a\r\nb"]) {
          const response = yield* request("GET", `/auth/oidc/start?return_to=${encodeURIComponent(path)}`, {
            headers: fromElsewhere()
          })
          assert.strictEqual(response.status, 422, path)
        }
        const { json } = yield* request("GET", "/auth/oidc")
        assert.deepInclude(json, { enabled: true, password_login: "all" })
      }))
  })
})

describe("a provider that has the claims at its UserInfo endpoint", () => {
  layer(site("SQLite", {}, "userinfo"), { excludeTestServices: true })((it) => {
    const person = () => ({ email: freshEmail(), email_verified: true, name: "Grace Hopper", groups: ["team"] })

    it.effect("the account and its roles come from there", () =>
      Effect.gen(function*() {
        yield* freshProject({ slug: "oidc-shop" })
        const grace = person()
        const account = yield* me(yield* signIn(randomUUID(), grace))
        assert.deepInclude(account, { email: grace.email, display_name: "Grace Hopper" })
        assert.deepStrictEqual(rolesOf(account), { "oidc-shop": "operator" })
        const unverified = { ...person(), email_verified: false }
        assert.strictEqual((yield* signIn(randomUUID(), unverified)).json.code, "oidc_not_linked")
      }))

    it.effect("an endpoint that fails keeps no linked person out, and one about another person does", () =>
      Effect.gen(function*() {
        const { setUserInfo } = yield* TestProvider
        const subject = randomUUID()
        const roles = rolesOf(yield* me(yield* signIn(subject, person())))
        setUserInfo({ status: 503, body: {} })
        assert.deepStrictEqual(rolesOf(yield* me(yield* signIn(subject, {}))), roles)
        assert.strictEqual((yield* signIn(randomUUID(), {})).json.code, "oidc_not_linked")
        setUserInfo({ status: 200, body: { sub: randomUUID(), ...person(), groups: ["leads"] } })
        assert.strictEqual((yield* signIn(subject, {})).json.code, "oidc_refused")
        setUserInfo(null)
      }))
  })
})

describe("a provider whose addresses the operator trusts", () => {
  layer(site("SQLite", { oidcTrustEmail: true }), { excludeTestServices: true })((it) => {
    it.effect("an address counts unless the provider says that it is not verified", () =>
      Effect.gen(function*() {
        yield* freshProject({ slug: "oidc-shop" })
        const email = freshEmail()
        const account = yield* me(yield* signIn(randomUUID(), { email, groups: ["team"] }))
        assert.strictEqual(account.email, email)
        for (const email_verified of [false, "false"]) {
          const unverified = { email: freshEmail(), email_verified, groups: ["team"] }
          assert.strictEqual((yield* signIn(randomUUID(), unverified)).json.code, "oidc_not_linked")
        }
        // who signs in with a known address is still not its owner
        assert.strictEqual((yield* signIn(randomUUID(), { email, groups: ["team"] })).json.code, "oidc_not_linked")
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
        const response = yield* request("GET", "/auth/oidc/start", { headers: fromElsewhere() })
        assert.strictEqual(response.status, 503)
        assert.strictEqual((yield* postLogout("token")).status, 503)
        assert.strictEqual((yield* login((yield* freshUser()).email)).status, 200)
      }))
  })

  layer(serverOn("SQLite", proxied), { excludeTestServices: true })((it) => {
    it.effect("no provider is configured", () =>
      Effect.gen(function*() {
        const response = yield* request("GET", "/auth/oidc/start", { headers: fromElsewhere() })
        assert.strictEqual(response.json.code, "oidc_not_configured")
        assert.strictEqual((yield* postLogout("token")).json.code, "oidc_not_configured")
        assert.strictEqual((yield* postLogout("token", "application/json")).status, 415)
        assert.strictEqual((yield* postLogout("x".repeat(16 * 1024))).status, 413)
        const twice = {
          raw: "logout_token=a&logout_token=b",
          headers: { "content-type": "application/x-www-form-urlencoded" }
        }
        assert.strictEqual((yield* request("POST", logoutPath, twice)).status, 422)
        const browser = yield* sessionOf((yield* freshUser()).id)
        const out = yield* request("POST", "/auth/oidc/logout", { headers: browser })
        assert.deepStrictEqual(out.json, { logout_url: null })
      }))
  })
})
