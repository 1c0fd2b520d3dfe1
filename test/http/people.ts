import type { HttpServer } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import type { UserDetail } from "../../src/domain/identity/User.ts"
import type { Role } from "../../src/domain/kernel/Access.ts"
import { type Person, system } from "../../src/domain/kernel/Actor.ts"
import { SessionId, type UserId } from "../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { Memberships } from "../../src/services/identity/Memberships.ts"
import { Projects } from "../../src/services/identity/Projects.ts"
import { Users } from "../../src/services/identity/Users.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { type ApiResponse, request } from "../brain.ts"
import { clientWith } from "../client.ts"
import { idOf } from "../ids.ts"

export const password = "correct horse battery staple"

let addresses = 0

/** For suites that trust 127.0.0.1 as a proxy: each call is another client, so that rate buckets do not mix. */
export const fromElsewhere = (): Record<string, string> => {
  addresses++
  return { "x-forwarded-for": `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}` }
}

export const proxied = { trustedProxies: ["127.0.0.1"] }

const asTest = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.provideService(self, CurrentActor, system("test"))

/** A user who can sign in with `password`. Roles by project slug. */
export const freshUser = (options: { readonly isAdmin?: boolean; readonly roles?: Record<string, Role> } = {}) =>
  Effect.gen(function*() {
    const users = yield* Users
    const memberships = yield* Memberships
    const projects = yield* Projects
    const user: UserDetail = yield* users.create({
      email: `Person.${(yield* Ids.next).slice(-12)}@Example.com`,
      first_name: null,
      last_name: null,
      display_name: "A Person",
      password: Redacted.make(password),
      is_admin: options.isAdmin === true,
      timezone: "UTC"
    })
    for (const [slug, role] of Object.entries(options.roles ?? {})) {
      const project = yield* projects.getBySlug(slug)
      yield* Effect.provideService(memberships.grant({ user_id: user.id, role }), CurrentProject, project)
    }
    return user
  }).pipe(asTest, Effect.orDie)

/** What a browser keeps of a response's cookies: the headers of its next request. */
export const browserOf = (response: ApiResponse) => browserWith(response.headers.getSetCookie())

/** The same of what the `set-cookie` headers say. */
export const browserWith = (set: ReadonlyArray<string>) => {
  const cookies = set.map((cookie) => cookie.split(";", 1)[0] ?? "")
  const csrf = cookies.find((cookie) => cookie.startsWith("svc_csrf="))?.slice("svc_csrf=".length) ?? ""
  return { cookie: cookies.join("; "), "x-csrf-token": csrf }
}

export const login = (
  email: string,
  options: { readonly password?: string; readonly remember?: boolean; readonly headers?: Record<string, string> } = {}
): Effect.Effect<ApiResponse, never, HttpServer.HttpServer> =>
  request("POST", "/auth/login", {
    body: { email, password: options.password ?? password, remember_me: options.remember ?? false },
    headers: options.headers ?? fromElsewhere()
  })

/**
 * A session of a user, written to the table directly: the headers of a browser that has signed in, without the time that
 * hashing takes.
 */
export const sessionOf = (user_id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const token = yield* Ids.secret
    const expires_at = Timestamp.addSeconds(now, 86_400)
    yield* sql`INSERT INTO sessions ${
      sql.insert({
        id: yield* Ids.next,
        user_id,
        token_hash: Ids.hashSecret(token),
        remember_me: 0,
        issued_at: now,
        last_seen_at: now,
        expires_at,
        ip_at_issue: "127.0.0.1",
        proven_at: now
      })
    }`
    const csrf = createHmac("sha256", token).update("svc csrf").digest("base64url")
    return { cookie: `svc_session=${token}; svc_csrf=${csrf}`, "x-csrf-token": csrf }
  }).pipe(Effect.orDie)

/** Who a request of the user's newest session was let in as; for what ends while it is at work. */
export const letInAs = ({ email, id }: { readonly email: string; readonly id: UserId }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [session] = yield* sql<{ id: string }>`SELECT id FROM sessions WHERE user_id = ${id} ORDER BY id DESC LIMIT 1`
    const via = {
      kind: "session",
      session_id: idOf(SessionId, session?.id ?? ""),
      enrolled: true,
      factor_pending: false,
      is_fresh: true,
      overdue_since: null
    } as const
    const person: Person = {
      kind: "person",
      user_id: id,
      email,
      is_admin: false,
      roles: new Map(),
      refused_projects: new Set(),
      via,
      source_ip: null,
      user_agent: null
    }
    return person
  }).pipe(Effect.orDie)

/** Signs in; the headers of every later request. */
export const signedIn = (user: { readonly email: string }) => Effect.map(login(user.email), browserOf)

/** The derived client of a browser in which the user has just signed in. */
export const clientInBrowser = (user: { readonly email: string }) =>
  Effect.flatMap(signedIn(user), (headers) => clientWith({ headers }))
