import { Schema } from "effect"
import { GivenPassword } from "./Password.ts"
import { characters, Id, text } from "./Text.ts"
import * as Timestamp from "./Timestamp.ts"

/** A code of an authenticator app, or a recovery code. Redacted from the first line; the messages never repeat it. */
const code = (least: number, most: number) =>
  Schema.Redacted(
    Schema.String.annotations({ message: () => "must be a text" }).pipe(characters(least, most))
  )

/** A new secret for an authenticator app (bodies: EnrollStartResponse); the URL is what a QR code of it holds. */
export const EnrollmentStarted = Schema.Struct({ secret_base32: Schema.String, provisioning_url: Schema.String })
  .annotations({ identifier: "EnrollmentStarted" })
export type EnrollmentStarted = typeof EnrollmentStarted.Type

export const CompleteEnrollment = Schema.Struct({ code: code(6, 6) }).annotations({ identifier: "CompleteEnrollment" })
export type CompleteEnrollment = typeof CompleteEnrollment.Type

/** The recovery codes, shown this once (bodies: EnrollCompleteResponse, RegenerateResponse). */
export const RecoveryCodes = Schema.Struct({ recovery_codes: Schema.Array(Schema.String) })
  .annotations({ identifier: "RecoveryCodes" })
export type RecoveryCodes = typeof RecoveryCodes.Type

export const VerifyMfa = Schema.Struct({
  code: code(6, 20),
  remember_device: Schema.optionalWith(Schema.Boolean, { default: () => false })
}).annotations({ identifier: "VerifyMfa" })
export type VerifyMfa = typeof VerifyMfa.Type

/** A code or a password was right (bodies: VerifyResponse). The number of codes left is null where none are kept. */
export const Verified = Schema.Struct({
  ok: Schema.Boolean,
  used_recovery_code: Schema.Boolean,
  remaining_recovery_codes: Schema.NullOr(Schema.Int)
}).annotations({ identifier: "Verified" })
export type Verified = typeof Verified.Type

export const DisableMfa = Schema.Struct({ password: GivenPassword, code: code(6, 20) })
  .annotations({ identifier: "DisableMfa" })
export type DisableMfa = typeof DisableMfa.Type

export const MfaStatus = Schema.Struct({
  enrolled: Schema.Boolean,
  enrolled_at: Schema.NullOr(Timestamp.Timestamp),
  remaining_recovery_codes: Schema.Int,
  enrollment_required: Schema.Boolean,
  enrollment_deadline: Schema.NullOr(Timestamp.Timestamp)
}).annotations({ identifier: "MfaStatus" })
export type MfaStatus = typeof MfaStatus.Type

/** A browser in which logins need no code (bodies: TrustedDevicePublic). */
export const TrustedDevice = Schema.Struct({
  id: Id,
  label: Schema.String,
  created_at: Timestamp.Timestamp,
  last_seen_at: Timestamp.Timestamp,
  expires_at: Timestamp.Timestamp,
  revoked_at: Schema.NullOr(Timestamp.Timestamp),
  is_current: Schema.Boolean
}).annotations({ identifier: "TrustedDevice" })
export type TrustedDevice = typeof TrustedDevice.Type

export const RenameTrustedDevice = Schema.Struct({ label: text(200, 1) })
  .annotations({ identifier: "RenameTrustedDevice" })

/** Who must have a second factor, and how long they may take (interface, MFA enforcement). */
export interface EnforcementPolicy {
  readonly for_admins: boolean
  readonly for_all: boolean
  readonly grace_days: number
}

/** What the policy looks at in a user. `started_at`: their first login under the policy, kept for ever. */
export interface Enforced {
  readonly is_admin: boolean
  readonly enrolled: boolean
  readonly started_at: Timestamp.Timestamp | null
}

/** Required without a deadline: the user has not signed in under the policy yet, so their grace has not begun. */
export interface Enrollment {
  readonly required: boolean
  readonly deadline: Timestamp.Timestamp | null
}

const secondsADay = 86_400

export const enrollmentOf = (policy: EnforcementPolicy, user: Enforced): Enrollment => {
  const required = !user.enrolled && (policy.for_all || (policy.for_admins && user.is_admin))
  const deadline = required && user.started_at !== null
    ? Timestamp.addSeconds(user.started_at, policy.grace_days * secondsADay)
    : null
  return { required, deadline }
}

/** Whether the user may do nothing but enrol. */
export const isOverdue = ({ deadline }: Enrollment, now: Timestamp.Timestamp): boolean => deadline !== null && deadline <= now
