import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { generateSync } from "otplib"
import type { Role, Scope } from "../../../src/domain/kernel/Access.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { freshKey } from "../../brain.ts"
import { browserWith, freshUser, sessionOf } from "../people.ts"
import { call } from "./call.ts"

/** Whom an endpoint may know, by what they may do in the project of the paths. */
export const kinds = ["stranger", "viewer", "auditor", "operator", "admin", "global admin"] as const
export type Kind = (typeof kinds)[number]

/** The headers of a credential. */
export type Credential = Readonly<Record<string, string>>

export interface Person {
  readonly user_id: string
  readonly email: string
  /** Of a key with every scope. */
  readonly key: Credential
  /** Of a browser that is signed in and sends the CSRF token. */
  readonly browser: Credential
  /** The second factor's recovery codes, where there is one. */
  readonly recoveryCodes?: ReadonlyArray<string>
  /** A code of the app that completes the enrolment, where one was begun. */
  readonly appCode?: string
}

export const bearer = (token: string): Credential => ({ authorization: `Bearer ${token}` })

/**
 * Makes people of the one project who are admins of the other, too, or of the other alone. Only one password is hashed:
 * the others have its hash.
 */
export const makePeople = (project: Project, other: Project) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* freshUser()
    const [hashed] = yield* sql<{ password_hash: string }>`SELECT password_hash FROM users WHERE id = ${id}`

    const rolesOf = (kind: Kind): Readonly<Record<string, Role>> =>
      kind === "global admin"
        ? {}
        : kind === "stranger"
        ? { [other.id]: "admin" }
        : { [project.id]: kind, [other.id]: "admin" }

    const key = (kind: Kind, options: { readonly scopes?: ReadonlyArray<string>; readonly boundTo?: string } = {}) =>
      freshKey({
        isAdmin: kind === "global admin",
        roles: rolesOf(kind),
        scopes: (options.scopes ?? ["admin:*"]) as ReadonlyArray<Scope>, // the table's own names; a wrong one shows as a difference
        ...(options.boundTo === undefined ? {} : { boundTo: options.boundTo })
      })

    const person = (kind: Kind) =>
      Effect.gen(function*() {
        const { email, token, user_id } = yield* key(kind)
        yield* sql`UPDATE users SET password_hash = ${hashed?.password_hash ?? ""} WHERE id = ${user_id}`
        const someone: Person = { user_id, email, key: bearer(token), browser: yield* sessionOf(user_id) }
        return someone
      }).pipe(Effect.orDie)

    /** Another key of the same owner. */
    const keyOf = (user_id: string) =>
      Effect.gen(function*() {
        const { token } = yield* freshKey()
        const [row] = yield* sql<{ id: string }>`
          UPDATE api_keys SET user_id = ${user_id} WHERE token_hash = ${Ids.hashSecret(token)} RETURNING id`
        return row?.id ?? ""
      }).pipe(Effect.orDie)

    /** Has begun to enrol a second factor. */
    const enrolling = (kind: Kind) =>
      Effect.gen(function*() {
        const someone = yield* person(kind)
        const { json } = yield* call({
          method: "POST",
          path: "/api/v1/auth/mfa/enroll-start",
          headers: someone.browser
        })
        const begun: Person = { ...someone, appCode: generateSync({ secret: String(json.secret_base32) }) }
        return begun
      })

    /** Has a second factor, and has given it. */
    const enrolled = (kind: Kind) =>
      Effect.gen(function*() {
        const { appCode, ...someone } = yield* enrolling(kind)
        const path = "/api/v1/auth/mfa/enroll-complete"
        const response = yield* call({ method: "POST", path, headers: someone.browser, body: { code: appCode } })
        const done: Person = {
          ...someone,
          browser: browserWith(response.cookies),
          recoveryCodes: response.json.recovery_codes
        }
        return done
      })

    return { key, person, keyOf, enrolling, enrolled }
  }).pipe(Effect.orDie)

export type People = Effect.Effect.Success<ReturnType<typeof makePeople>>
