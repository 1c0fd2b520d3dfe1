import { HttpServerResponse } from "@effect/platform"
import { Effect, Layer } from "effect"
import { VerifyMfaResult } from "../../../domain/identity/Mfa.ts"
import { passwordPolicy } from "../../../domain/identity/Password.ts"
import { LoginResult } from "../../../domain/identity/Session.ts"
import { Sessions } from "../../../services/identity/Sessions.ts"
import type { CreatedSession } from "../../../services/identity/Sessions/Creation.ts"
import { Users } from "../../../services/identity/Users.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { Authorize } from "../../middleware/Authorize.ts"
import { Cookies } from "../../middleware/Cookies.ts"
import { makeSessionResponse } from "../../middleware/SessionResponse.ts"

const makeLoginResponse = Effect.map(
  makeSessionResponse(LoginResult),
  (respond) => (session: CreatedSession) => respond(session.result, session)
)

const LoginHttp = implementGroup("login", function*(handlers) {
  const sessions = yield* Sessions
  const { browserOf } = yield* Authorize
  const respondWithLogin = yield* makeLoginResponse
  return handlers.handle(
    "login",
    ({ payload, request }) => Effect.flatMap(sessions.login({ ...payload, ...browserOf(request) }), respondWithLogin)
  )
})

const AuthHttp = implementGroup("auth", function*(handlers) {
  const sessions = yield* Sessions
  const users = yield* Users
  const cookies = yield* Cookies
  const respondWithLogin = yield* makeLoginResponse
  const respondWithProof = yield* makeSessionResponse(VerifyMfaResult)
  return handlers
    .handle(
      "logout",
      () => Effect.as(sessions.logout(), cookies.clearSession(HttpServerResponse.empty({ status: 204 })))
    )
    .handle("policy", () => Effect.succeed(passwordPolicy))
    .handle("me", () => users.me())
    .handle("updateMe", ({ payload }) => users.updateMe(payload))
    .handle("changePassword", ({ payload }) => Effect.flatMap(sessions.changePassword(payload), respondWithLogin))
    .handle(
      "reauthenticate",
      ({ payload }) =>
        Effect.flatMap(
          sessions.reauthenticate(payload),
          (cookie) => respondWithProof({ ok: true, used_recovery_code: false, remaining_recovery_codes: null }, cookie)
        )
    )
    .handle("sessions", () => sessions.list())
    .handle("revokeSession", ({ path }) => Effect.map(sessions.revoke(path.session_id), (revoked) => ({ revoked })))
    .handle("revokeOtherSessions", () => Effect.map(sessions.revokeOthers(), (revoked) => ({ revoked })))
})

export const layer = Layer.mergeAll(LoginHttp, AuthHttp)
