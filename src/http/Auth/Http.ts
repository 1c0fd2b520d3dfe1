import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect, Layer } from "effect"
import { Verified } from "../../domain/Mfa.ts"
import { policy } from "../../domain/Password.ts"
import { LoggedIn } from "../../domain/Session.ts"
import { Sessions } from "../../services/Sessions.ts"
import type { Opened } from "../../services/Sessions/Opening.ts"
import { Users } from "../../services/Users.ts"
import { Api } from "../Api.ts"
import { Authorize } from "../middleware/Authorize.ts"
import { Cookies } from "../middleware/Cookies.ts"

const verified = HttpServerResponse.schemaJson(Verified)
const loggedIn = HttpServerResponse.schemaJson(LoggedIn)

/** The answer of a new session, with its two cookies. */
const withCookies = Effect.map(Cookies, (cookies) => ({ answer, maxAgeSeconds, token }: Opened) =>
  loggedIn(answer).pipe(Effect.map(cookies.issue(token, maxAgeSeconds)), Effect.orDie))

const LoginHttp = HttpApiBuilder.group(Api, "login", Effect.fnUntraced(function*(handlers) {
  const sessions = yield* Sessions
  const authorize = yield* Authorize
  const cookies = yield* Cookies
  const answer = yield* withCookies
  return handlers.handle("login", ({ payload, request }) =>
    Effect.flatMap(
      sessions.login({
        ...payload,
        source: authorize.sourceOf(request),
        token: cookies.session(request),
        device: cookies.device(request)
      }),
      answer
    ))
}))

const AuthHttp = HttpApiBuilder.group(Api, "auth", Effect.fnUntraced(function*(handlers) {
  const sessions = yield* Sessions
  const users = yield* Users
  const cookies = yield* Cookies
  const answer = yield* withCookies
  return handlers
    .handle("logout", () => Effect.as(sessions.logout(), cookies.clear(HttpServerResponse.empty({ status: 204 }))))
    .handle("policy", () => Effect.succeed(policy))
    .handle("me", () => users.me())
    .handle("updateMe", ({ payload }) => users.updateMe(payload))
    .handle("changePassword", ({ payload }) => Effect.flatMap(sessions.changePassword(payload), answer))
    .handle("reauthenticate", ({ payload }) =>
      Effect.flatMap(sessions.reauthenticate(payload), ({ maxAgeSeconds, token }) =>
        verified({ ok: true, used_recovery_code: false, remaining_recovery_codes: null }).pipe(
          Effect.map(cookies.issue(token, maxAgeSeconds)),
          Effect.orDie
        )))
    .handle("sessions", () => sessions.list())
    .handle("revokeSession", ({ path }) => Effect.map(sessions.revoke(path.session_id), (revoked) => ({ revoked })))
    .handle("revokeOtherSessions", () => Effect.map(sessions.revokeOthers(), (revoked) => ({ revoked })))
}))

export const layer = Layer.mergeAll(LoginHttp, AuthHttp)
