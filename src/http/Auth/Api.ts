import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import { Verified } from "../../domain/Mfa.ts"
import { PasswordPolicy } from "../../domain/Password.ts"
import { LoggedIn, Login, Reauthenticate, Session, SessionRevoked } from "../../domain/Session.ts"
import { GivenId } from "../../domain/Text.ts"
import { ChangePassword, Me, UpdateProfile } from "../../domain/User.ts"
import { Authenticated } from "../Access.ts"

/** The way in (interface, Session and account). The answer sets the session and the CSRF cookie. */
export class LoginApi extends HttpApiGroup.make("login")
  .add(
    HttpApiEndpoint.post("login", "/auth/login")
      .setPayload(Login)
      .addSuccess(LoggedIn)
      .annotate(Access, { caller: "public", takesSecrets: true, mutates: true, bucket: "login" })
  )
{}

const sessionId = HttpApiSchema.param("session_id", GivenId)

/** One's own account and sessions (interface, Session and account; bodies: auth). */
export class AuthApi extends HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.post("logout", "/auth/logout")
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "session", mutates: true, whileOwing: true, whileRestricted: true })
  )
  .add(
    HttpApiEndpoint.get("policy", "/auth/policy")
      .addSuccess(PasswordPolicy)
      .annotate(Access, { caller: "authenticated", scope: "auth:read" })
  )
  .add(
    HttpApiEndpoint.get("me", "/auth/me")
      .addSuccess(Me)
      .annotate(Access, { caller: "authenticated", scope: "auth:read", whileOwing: true, whileRestricted: true })
  )
  .add(
    HttpApiEndpoint.patch("updateMe", "/auth/me")
      .setPayload(UpdateProfile)
      .addSuccess(Me)
      .annotate(Access, { caller: "session", mutates: true })
  )
  .add(
    HttpApiEndpoint.post("changePassword", "/auth/change-password")
      .setPayload(ChangePassword)
      .addSuccess(LoggedIn)
      .annotate(Access, { caller: "session", mutates: true })
  )
  .add(
    HttpApiEndpoint.post("reauthenticate", "/auth/reauthenticate")
      .setPayload(Reauthenticate)
      .addSuccess(Verified)
      .annotate(Access, { caller: "session", mutates: true, bucket: "mfa" })
  )
  .add(
    HttpApiEndpoint.get("sessions", "/auth/sessions")
      .addSuccess(Schema.Array(Session))
      .annotate(Access, { caller: "session" })
  )
  .add(
    HttpApiEndpoint.post("revokeSession")`/auth/sessions/${sessionId}/revoke`
      .addSuccess(SessionRevoked)
      .annotate(Access, { caller: "session", mutates: true })
  )
  .add(
    HttpApiEndpoint.post("revokeOtherSessions", "/auth/sessions/revoke-others")
      .addSuccess(SessionRevoked)
      .annotate(Access, { caller: "session", mutates: true })
  )
  .middleware(Authenticated)
{}
