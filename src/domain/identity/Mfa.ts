import { Redacted, Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { TrustedDeviceId } from "../kernel/Id.ts"
import { lengthBetween, text } from "../kernel/Text.ts"
import * as Timestamp from "../kernel/Timestamp.ts"
import { PasswordInput } from "./Password.ts"

/** A code of an authenticator app, or a recovery code. Redacted from the first line; the messages never repeat it. */
const codeSchema = (min: number, max: number) =>
  Schema.Redacted(
    Schema.String.annotations({ message: () => "must be a string" }).pipe(lengthBetween(min, max))
  )

/** A new secret for an authenticator app (bodies: EnrollStartResponse); the URL is what a QR code of it holds. */
export const EnrollmentStarted = Schema.Struct({
  secret_base32: describeField(Schema.String, "The secret, to type.", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
  provisioning_url: describeField(
    Schema.String,
    "The same as a URL, to show as a QR code.",
    "otpauth://totp/svc:ada@example.com?secret=GEZDGNBV&issuer=svc"
  )
})
  .annotations(describeBody("EnrollmentStarted", "A new secret for an authenticator app."))

export const CompleteEnrollment = Schema.Struct({
  code: describeField(codeSchema(6, 6), "A code of the authenticator app, or a recovery code.", Redacted.make("123456"))
}).annotations(describeBody("CompleteEnrollment", "A code of the new secret."))
export type CompleteEnrollment = typeof CompleteEnrollment.Type

/** The recovery codes, shown this once (bodies: EnrollCompleteResponse, RegenerateResponse). */
export const RecoveryCodes = Schema.Struct({
  recovery_codes: describeField(Schema.Array(Schema.String), "Ten codes, each good once.", ["k7xq-2m4p-9r3t"])
})
  .annotations(describeBody("RecoveryCodes", "Recovery codes, shown this once."))

export const VerifyMfa = Schema.Struct({
  code: describeField(
    codeSchema(6, 20),
    "A code of the authenticator app, or a recovery code.",
    Redacted.make("123456")
  ),
  remember_device: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => false }),
    "Trusts this browser: its logins need no code for a while.",
    false
  )
}).annotations(describeBody("VerifyMfa", "A code."))
export type VerifyMfa = typeof VerifyMfa.Type

/** A code or a password was right (bodies: VerifyResponse). The number of codes left is null where none are kept. */
export const VerifyMfaResult = Schema.Struct({
  ok: describeField(Schema.Boolean, "Always true.", true),
  used_recovery_code: describeField(Schema.Boolean, "Whether it was a recovery code.", false),
  remaining_recovery_codes: describeField(
    Schema.NullOr(Schema.Int),
    "Recovery codes that are left; null where there are none.",
    9
  )
}).annotations(describeBody("Verified", "A code or password was right."))

export const DisableMfa = Schema.Struct({
  password: describeField(PasswordInput, "A password.", Redacted.make("correct horse battery staple")),
  code: describeField(
    codeSchema(6, 20),
    "A code of the authenticator app, or a recovery code.",
    Redacted.make("123456")
  )
})
  .annotations(describeBody("DisableMfa", "The password and a code."))
export type DisableMfa = typeof DisableMfa.Type

export const MfaStatus = Schema.Struct({
  enrolled: describeField(Schema.Boolean, "Whether there is one.", true),
  enrolled_at: describeField(Schema.NullOr(Timestamp.Timestamp), "Since when.", exampleTime),
  remaining_recovery_codes: describeField(Schema.Int, "Recovery codes that are left.", 10),
  enrollment_required: describeField(
    Schema.Boolean,
    "Whether the policy requires a second factor that is not enrolled.",
    false
  ),
  enrollment_deadline: describeField(Schema.NullOr(Timestamp.Timestamp), "By when it must be enrolled.", null)
}).annotations(describeBody("MfaStatus", "The own second factor."))
export type MfaStatus = typeof MfaStatus.Type

/** A browser in which logins need no code (bodies: TrustedDevicePublic). */
export const TrustedDevice = Schema.Struct({
  id: describeField(TrustedDeviceId, "Its id.", exampleId),
  label: describeField(Schema.String, "The name that its owner gave it.", "Ada's laptop"),
  created_at: describeField(Timestamp.Timestamp, "When it was created.", exampleTime),
  last_seen_at: describeField(Timestamp.Timestamp, "Time of its last use.", exampleTime),
  expires_at: describeField(Timestamp.Timestamp, "When it expires.", exampleTime),
  revoked_at: describeField(Schema.NullOr(Timestamp.Timestamp), "When it was revoked; null: it was not.", null),
  is_current: describeField(Schema.Boolean, "Whether it is the browser of this request.", true)
}).annotations(describeBody("TrustedDevice", "A browser in which logins need no code."))
export type TrustedDevice = typeof TrustedDevice.Type

export const RenameTrustedDevice = Schema.Struct({
  label: describeField(text(200, 1), "The name that its owner gave it.", "Ada's laptop")
})
  .annotations(describeBody("RenameTrustedDevice", "A new label."))

export const MfaPolicy = Schema.Struct({
  required_for_all: describeField(Schema.Boolean, "Whether everyone needs a second factor.", false),
  required_by_setting: describeField(
    Schema.Boolean,
    "Whether `SVC_MFA_ENFORCE_FOR_ALL` says so; then the policy cannot be relaxed here.",
    false
  ),
  required_for_admins: describeField(Schema.Boolean, "Whether global admins need one.", true),
  grace_days: describeField(Schema.Int, "Days to enrol it, from the user's first sign-in under the policy.", 7),
  active_users: describeField(Schema.Int, "Users who may sign in.", 12),
  active_users_without: describeField(Schema.Int, "Those of them without a second factor.", 3)
}).annotations(describeBody("MfaPolicy", "Who must have a second factor."))
export type MfaPolicy = typeof MfaPolicy.Type

export const MfaPolicyUpdate = Schema.Struct({
  required_for_all: describeField(Schema.Boolean, "Whether everyone needs a second factor.", false)
}).annotations(describeBody("MfaPolicyUpdate", "A change of who must have a second factor."))
export type MfaPolicyUpdate = typeof MfaPolicyUpdate.Type

/** Who must have a second factor, and the grace to enrol it (interface, MFA enforcement). */
export interface EnforcementPolicy {
  readonly for_admins: boolean
  readonly for_all: boolean
  readonly grace_days: number
}

/** The facts about a user that the policy reads. `started_at`: their first login under the policy. */
export interface EnforcementSubject {
  readonly is_admin: boolean
  readonly enrolled: boolean
  readonly started_at: Timestamp.Timestamp | null
}

/** Required without a deadline: the user has not signed in under the policy yet, so their grace has not begun. */
export interface EnrollmentRequirement {
  readonly required: boolean
  readonly deadline: Timestamp.Timestamp | null
}

export const findEnrollmentRequirement = (
  policy: EnforcementPolicy,
  user: EnforcementSubject
): EnrollmentRequirement => {
  const required = !user.enrolled && (policy.for_all || (policy.for_admins && user.is_admin))
  const deadline = required && user.started_at !== null
    ? Timestamp.addSeconds(user.started_at, policy.grace_days * Timestamp.secondsPerDay)
    : null
  return { required, deadline }
}

/** Whether the user may do nothing but enrol. */
export const isOverdue = ({ deadline }: EnrollmentRequirement, now: Timestamp.Timestamp): boolean =>
  deadline !== null && deadline <= now
