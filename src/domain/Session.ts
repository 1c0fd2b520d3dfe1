import { Schema } from "effect"
import { GivenPassword } from "./Password.ts"
import { Id, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { User } from "./User.ts"

/** A signed-in browser (bodies: SessionPublic). */
export const Session = Schema.Struct({
  id: Id,
  issued_at: Timestamp,
  last_seen_at: Timestamp,
  ip_at_issue: Schema.String,
  user_agent_at_issue: Schema.NullOr(Schema.String),
  is_current: Schema.Boolean
}).annotations({ identifier: "Session" })
export type Session = typeof Session.Type

export const Login = Schema.Struct({
  email: text(320, 3),
  password: GivenPassword,
  remember_me: Schema.optionalWith(Schema.Boolean, { default: () => false })
}).annotations({ identifier: "Login" })
export type Login = typeof Login.Type

/**
 * The answer to a login. The session itself is in the two cookies. With `mfa_required` it owes the second factor, and
 * may call verify, me and logout only.
 */
export const LoggedIn = Schema.Struct({
  user: User,
  mfa_required: Schema.Boolean,
  mfa_enrollment_required: Schema.Boolean,
  mfa_enrollment_deadline: Schema.NullOr(Timestamp)
}).annotations({ identifier: "LoggedIn" })
export type LoggedIn = typeof LoggedIn.Type

/** The password once more, where no second factor is. */
export const Reauthenticate = Schema.Struct({ password: GivenPassword }).annotations({ identifier: "Reauthenticate" })
export type Reauthenticate = typeof Reauthenticate.Type

/** Whether anything was ended (bodies: SessionRevokedResponse). */
export const SessionRevoked = Schema.Struct({ revoked: Schema.Boolean }).annotations({ identifier: "SessionRevoked" })
export type SessionRevoked = typeof SessionRevoked.Type
