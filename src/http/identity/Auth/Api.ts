import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { VerifyMfaResult } from "../../../domain/identity/Mfa.ts"
import { PasswordPolicy } from "../../../domain/identity/Password.ts"
import { Login, LoginResult, Reauthenticate, Session, SessionRevoked } from "../../../domain/identity/Session.ts"
import { ChangePassword, Me, UpdateProfile } from "../../../domain/identity/User.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, SessionId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup, plainGroup } from "../../Groups.ts"

/** Sign-in (interface, Session and account). The response sets the session cookie and the CSRF cookie. */
export class LoginApi extends plainGroup("login", "Sign-in")
  .add(
    HttpApiEndpoint.post("login", "/auth/login")
      .setPayload(Login)
      .addSuccess(LoginResult)
      .annotate(Access, {
        caller: "public",
        requiresHttps: true,
        mutates: true,
        bucket: "login",
        failureCodes: ["login_failed", "password_login_disabled"]
      })
      .annotateContext(operation(
        "Sign in",
        "By e-mail address and password. The response sets the session cookie and the CSRF cookie. With " +
          "`mfa_required` the session may only verify its second factor, read `me` and log out. A wrong " +
          "address, a wrong password, a locked and an inactive account have the same response in the same time."
      ))
  )
{}

const sessionId = pathParameter("session_id", caseInsensitiveId(SessionId), "The session's id.", exampleId)

/** One's own account and sessions (interface, Session and account; bodies: auth). */
export class AuthApi extends actorGroup("auth", "Sign-in")
  .add(
    HttpApiEndpoint.post("logout", "/auth/logout")
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "session", mutates: true, allowsPendingFactor: true, allowsRestrictedSession: true })
      .annotateContext(operation("Sign out", "Revokes the session of the cookie and clears its cookies."))
  )
  .add(
    HttpApiEndpoint.get("policy", "/auth/policy")
      .addSuccess(PasswordPolicy)
      .annotate(Access, { caller: "authenticated", scope: "auth:read" })
      .annotateContext(operation("Show the password policy", "What a new password must have."))
  )
  .add(
    HttpApiEndpoint.get("me", "/auth/me")
      .addSuccess(Me)
      .annotate(Access, {
        caller: "authenticated",
        scope: "auth:read",
        allowsPendingFactor: true,
        allowsRestrictedSession: true
      })
      .annotateContext(operation("Show the own account", "Who the credential belongs to, with the memberships."))
  )
  .add(
    HttpApiEndpoint.patch("updateMe", "/auth/me")
      .setPayload(UpdateProfile)
      .addSuccess(Me)
      .annotate(Access, { caller: "session", mutates: true })
      .annotateContext(operation("Change the own account", "Absent fields stay as they are."))
  )
  .add(
    HttpApiEndpoint.post("changePassword", "/auth/change-password")
      .setPayload(ChangePassword)
      .addSuccess(LoginResult)
      .annotate(Access, { caller: "session", mutates: true, failureCodes: ["wrong_password", "unauthenticated"] })
      .annotateContext(operation(
        "Change the own password",
        "Revokes all other sessions and trusted devices of the account, and gives this session a new " +
          "cookie."
      ))
  )
  .add(
    HttpApiEndpoint.post("reauthenticate", "/auth/reauthenticate")
      .setPayload(Reauthenticate)
      .addSuccess(VerifyMfaResult)
      .annotate(Access, {
        caller: "session",
        mutates: true,
        bucket: "mfa",
        failureCodes: ["wrong_password", "mfa_enrolled"]
      })
      .annotateContext(operation(
        "Give the password again",
        "The step-up of an account without a second factor; with one, verify a code instead."
      ))
  )
  .add(
    HttpApiEndpoint.get("sessions", "/auth/sessions")
      .addSuccess(Schema.Array(Session))
      .annotate(Access, { caller: "session" })
      .annotateContext(operation("List the own sessions", "Those that work, newest first, at most 500."))
  )
  .add(
    HttpApiEndpoint.post("revokeSession")`/auth/sessions/${sessionId}/revoke`
      .addSuccess(SessionRevoked)
      .annotate(Access, { caller: "session", mutates: true })
      .annotateContext(operation("Revoke one of the own sessions", "`revoked` is false when it had ended."))
  )
  .add(
    HttpApiEndpoint.post("revokeOtherSessions", "/auth/sessions/revoke-others")
      .addSuccess(SessionRevoked)
      .annotate(Access, { caller: "session", mutates: true })
      .annotateContext(operation("Revoke all other own sessions", "The session of this request continues."))
  )
{}
