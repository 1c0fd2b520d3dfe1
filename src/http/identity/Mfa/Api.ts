import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import {
  CompleteEnrollment,
  DisableMfa,
  EnrollmentStarted,
  MfaStatus,
  RecoveryCodes,
  RenameTrustedDevice,
  TrustedDevice,
  VerifyMfa,
  VerifyMfaResult
} from "../../../domain/identity/Mfa.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, TrustedDeviceId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup } from "../../Groups.ts"

const deviceId = pathParameter("device_id", caseInsensitiveId(TrustedDeviceId), "The device's id.", exampleId)

/** One's own second factor (interface, Multi-factor authentication; bodies: auth). */
export class MfaApi extends actorGroup("mfa", "Second factor")
  .add(
    HttpApiEndpoint.get("status", "/auth/mfa/status")
      .addSuccess(MfaStatus)
      .annotate(Access, { caller: "session", allowsRestrictedSession: true })
      .annotateContext(operation(
        "Show the second factor's state",
        "Whether one is enrolled, how many recovery codes are left, and whether the policy asks for one."
      ))
  )
  .add(
    HttpApiEndpoint.post("enrollStart", "/auth/mfa/enroll-start")
      .addSuccess(EnrollmentStarted)
      .annotate(Access, {
        caller: "session",
        mutates: true,
        stepUp: true,
        allowsRestrictedSession: true,
        failureCodes: ["mfa_enrolled"]
      })
      .annotateContext(operation(
        "Start to enrol a second factor",
        "Returns a new secret for an authenticator app. It counts once a code of it was given; a second " +
          "start replaces it."
      ))
  )
  .add(
    HttpApiEndpoint.post("enrollComplete", "/auth/mfa/enroll-complete")
      .setPayload(CompleteEnrollment)
      .addSuccess(RecoveryCodes)
      .annotate(Access, {
        caller: "session",
        mutates: true,
        allowsRestrictedSession: true,
        bucket: "mfa",
        failureCodes: ["wrong_code", "mfa_locked", "mfa_enrolled", "mfa_enrollment_expired"]
      })
      .annotateContext(operation(
        "Complete the enrolment",
        "With a code of the new secret. Returns the recovery codes, which are shown this once."
      ))
  )
  .add(
    HttpApiEndpoint.post("verify", "/auth/mfa/verify")
      .setPayload(VerifyMfa)
      .addSuccess(VerifyMfaResult)
      .annotate(Access, {
        caller: "session",
        mutates: true,
        allowsPendingFactor: true,
        bucket: "mfa",
        failureCodes: ["wrong_code", "mfa_locked", "mfa_not_enrolled"]
      })
      .annotateContext(operation(
        "Give a code",
        "Of the authenticator app, or a recovery code: completes a login, and is the step-up later. The " +
          "session gets a new cookie."
      ))
  )
  .add(
    HttpApiEndpoint.post("disable", "/auth/mfa/disable")
      .setPayload(DisableMfa)
      .addSuccess(VerifyMfaResult)
      .annotate(Access, {
        caller: "session",
        mutates: true,
        stepUp: true,
        bucket: "mfa",
        failureCodes: ["wrong_code", "wrong_password", "mfa_locked", "mfa_not_enrolled"]
      })
      .annotateContext(operation(
        "Remove the second factor",
        "With the password and a code. Trusted devices and recovery codes are deleted."
      ))
  )
  .add(
    HttpApiEndpoint.post("regenerate", "/auth/mfa/recovery-codes/regenerate")
      .addSuccess(RecoveryCodes)
      .annotate(Access, { caller: "session", mutates: true, stepUp: true, failureCodes: ["mfa_not_enrolled"] })
      .annotateContext(operation(
        "Replace the recovery codes",
        "The old ones stop working; the new ones are shown this once."
      ))
  )
  .add(
    HttpApiEndpoint.get("trustedDevices", "/auth/mfa/trusted-devices")
      .addSuccess(Schema.Array(TrustedDevice))
      .annotate(Access, { caller: "session" })
      .annotateContext(operation("List trusted devices", "Browsers in which a login needs no code."))
  )
  .add(
    HttpApiEndpoint.post("trustDevice", "/auth/mfa/trusted-devices")
      .addSuccess(TrustedDevice, { status: 201 })
      .annotate(Access, {
        caller: "session",
        mutates: true,
        stepUp: true,
        creates: "secret",
        failureCodes: ["mfa_not_enrolled", "unauthenticated"]
      })
      .annotateContext(operation(
        "Trust this browser",
        "Sets the device cookie: logins in this browser need no code until it expires."
      ))
  )
  .add(
    HttpApiEndpoint.post("revokeDevice")`/auth/mfa/trusted-devices/${deviceId}/revoke`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "session", mutates: true })
      .annotateContext(operation("Stop trusting a device", "Its next login needs a code again."))
  )
  .add(
    HttpApiEndpoint.patch("renameDevice")`/auth/mfa/trusted-devices/${deviceId}`
      .setPayload(RenameTrustedDevice)
      .addSuccess(TrustedDevice)
      .annotate(Access, { caller: "session", mutates: true })
      .annotateContext(operation("Rename a trusted device", "The label is what its owner sees in the list."))
  )
{}
