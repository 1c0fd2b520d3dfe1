import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import { generateSync } from "otplib"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { type ApiResponse, request } from "../brain.ts"
import { browserOf, freshUser, fromElsewhere, login } from "./people.ts"

/** The headers that a browser sends with each request. */
export type Browser = Readonly<Record<string, string>>

/** A request of a signed-in browser; each from an address of its own, so that rate buckets do not mix. */
export const ask = (browser: Browser, method: string, path: string, body?: unknown) =>
  request(method, path, { headers: { ...fromElsewhere(), ...browser }, ...(body === undefined ? {} : { body }) })

/** What the authenticator app shows: the code of now, or of so many half minutes later. */
export const codeOf = (secret: string, later = 0) =>
  Effect.map(Clock.currentTimeMillis, (now) => generateSync({ secret, epoch: Math.floor(now / 1000) + later * 30 }))

/** A valid code: the last accepted step is reset, as if half a minute had passed. */
export const nextCode = ({ secret, id }: { readonly secret: string; readonly id: string }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE users SET mfa_last_step = 0 WHERE id = ${id}`
    return yield* codeOf(secret)
  }).pipe(Effect.orDie)

/** Six digits that are no code of the secret in this minute or the next. */
export const wrongCode = (secret: string) =>
  Effect.map(
    Effect.all([-2, -1, 0, 1, 2, 3].map((later) => codeOf(secret, later))),
    (codes) =>
      ["000000", "111111", "222222", "333333", "444444", "555555", "666666"].find((code) => !codes.includes(code)) ?? ""
  )

/** The browser's cookies, replaced by those of a response. */
export const after = (browser: Browser, response: ApiResponse): Browser => {
  const jar = new Map(
    (browser.cookie ?? "").split("; ").filter((pair) => pair !== "").map((pair) => [pair.split("=", 1)[0], pair])
  )
  for (const cookie of response.headers.getSetCookie()) {
    const pair = cookie.split(";", 1)[0] ?? ""
    jar.set(pair.split("=", 1)[0], pair)
  }
  return { ...browser, ...browserOf(response), cookie: [...jar.values()].join("; ") }
}

export const deviceCookie = (browser: Browser): string | undefined =>
  /svc_device=([\w-]+)/.exec(browser.cookie ?? "")?.[1]

/** Signs in from a browser that may have a device cookie. */
export const loginFrom = (browser: Browser, email: string) =>
  Effect.map(
    login(email, {
      headers: { ...fromElsewhere(), ...(browser.cookie === undefined ? {} : { cookie: browser.cookie }) }
    }),
    (response) => ({
      browser: after(browser, response),
      response
    })
  )

/** A user with a second factor, and the browser in which it was enrolled. */
export const enrolled = (options: { readonly isAdmin?: boolean } = {}) =>
  Effect.gen(function*() {
    const user = yield* freshUser(options)
    const { browser } = yield* loginFrom({}, user.email)
    const started = yield* ask(browser, "POST", "/auth/mfa/enroll-start")
    const secret: string = started.json.secret_base32
    const completed = yield* ask(browser, "POST", "/auth/mfa/enroll-complete", { code: yield* codeOf(secret) })
    const codes: ReadonlyArray<string> = completed.json.recovery_codes
    return { id: user.id, email: user.email, secret, codes, browser: after(browser, completed) }
  })

/** Sets a moment of the user's or their sessions' row so many seconds back. */
export const back = (table: "sessions" | "users", column: string, userId: string, seconds: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = Timestamp.addSeconds(yield* Timestamp.now, -seconds)
    yield* sql`UPDATE ${sql(table)} SET ${sql(column)} = ${at} WHERE ${
      sql(table === "users" ? "id" : "user_id")
    } = ${userId}`
  }).pipe(Effect.orDie)

/** The actions of the audit log about a user or by them, in order. */
export const actionsOf = (userId: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ action: string }>`
      SELECT action FROM audit_log WHERE target_id = ${userId} OR user_id = ${userId} ORDER BY seq`
    return rows.map(({ action }) => action)
  }).pipe(Effect.orDie)
