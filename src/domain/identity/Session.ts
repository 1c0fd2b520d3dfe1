import { Redacted, Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { SessionId } from "../kernel/Id.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { PasswordInput } from "./Password.ts"
import { User } from "./User.ts"

/** A signed-in browser (bodies: SessionPublic). */
export const Session = Schema.Struct({
  id: describeField(SessionId, "Its id.", exampleId),
  issued_at: describeField(Timestamp, "When it was opened.", exampleTime),
  last_seen_at: describeField(Timestamp, "Time of the last recorded request.", exampleTime),
  ip_at_issue: describeField(Schema.String, "The address that signed in.", "203.0.113.7"),
  user_agent_at_issue: describeField(Schema.NullOr(Schema.String), "The browser that signed in.", "Mozilla/5.0"),
  is_current: describeField(Schema.Boolean, "Whether it is the session of this request.", true)
}).annotations(describeBody("Session", "A signed-in browser."))
export type Session = typeof Session.Type

export const Login = Schema.Struct({
  email: describeField(text(320, 3), "The e-mail address.", "ada@example.com"),
  password: describeField(PasswordInput, "A password.", Redacted.make("correct horse battery staple")),
  remember_me: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => false }),
    "Keeps the session beyond the browser's end.",
    false
  )
}).annotations(describeBody("Login", "A login."))
export type Login = typeof Login.Type

/**
 * The response to a login. The session itself is in the two cookies. With `mfa_required` its second factor is pending: it
 * may call verify, me and logout only.
 */
export const LoginResult = Schema.Struct({
  user: describeField(User, "Who signed in."),
  mfa_required: describeField(Schema.Boolean, "Whether the session still needs a code of the second factor.", false),
  mfa_enrollment_required: describeField(
    Schema.Boolean,
    "Whether the policy requires a second factor that is not enrolled.",
    false
  ),
  mfa_enrollment_deadline: describeField(Schema.NullOr(Timestamp), "By when it must be enrolled.", null)
}).annotations(describeBody("LoggedIn", "The login's response; the session is in its cookies."))
export type LoginResult = typeof LoginResult.Type

/** The password again, for an account without a second factor. */
export const Reauthenticate = Schema.Struct({
  password: describeField(PasswordInput, "A password.", Redacted.make("correct horse battery staple"))
}).annotations(describeBody("Reauthenticate", "The password again."))
export type Reauthenticate = typeof Reauthenticate.Type

/** Whether anything was ended (bodies: SessionRevokedResponse). */
export const SessionRevoked = Schema.Struct({
  revoked: describeField(Schema.Boolean, "False when there was nothing to revoke.", true)
}).annotations(describeBody("SessionRevoked", "Whether a session was ended."))
