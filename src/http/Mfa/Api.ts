import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import {
  CompleteEnrollment,
  DisableMfa,
  EnrollmentStarted,
  MfaStatus,
  RecoveryCodes,
  RenameTrustedDevice,
  TrustedDevice,
  Verified,
  VerifyMfa
} from "../../domain/Mfa.ts"
import { GivenId } from "../../domain/Text.ts"
import { Authenticated } from "../Access.ts"

const deviceId = HttpApiSchema.param("device_id", GivenId)

/** One's own second factor (interface, Multi-factor authentication; bodies: auth). */
export class MfaApi extends HttpApiGroup.make("mfa")
  .add(
    HttpApiEndpoint.get("status", "/auth/mfa/status")
      .addSuccess(MfaStatus)
      .annotate(Access, { caller: "session", whileRestricted: true })
  )
  .add(
    HttpApiEndpoint.post("enrollStart", "/auth/mfa/enroll-start")
      .addSuccess(EnrollmentStarted)
      .annotate(Access, { caller: "session", mutates: true, stepUp: true, whileRestricted: true })
  )
  .add(
    HttpApiEndpoint.post("enrollComplete", "/auth/mfa/enroll-complete")
      .setPayload(CompleteEnrollment)
      .addSuccess(RecoveryCodes)
      .annotate(Access, { caller: "session", mutates: true, whileRestricted: true, bucket: "mfa" })
  )
  .add(
    HttpApiEndpoint.post("verify", "/auth/mfa/verify")
      .setPayload(VerifyMfa)
      .addSuccess(Verified)
      .annotate(Access, { caller: "session", mutates: true, whileOwing: true, bucket: "mfa" })
  )
  .add(
    HttpApiEndpoint.post("disable", "/auth/mfa/disable")
      .setPayload(DisableMfa)
      .addSuccess(Verified)
      .annotate(Access, { caller: "session", mutates: true, stepUp: true, bucket: "mfa" })
  )
  .add(
    HttpApiEndpoint.post("regenerate", "/auth/mfa/recovery-codes/regenerate")
      .addSuccess(RecoveryCodes)
      .annotate(Access, { caller: "session", mutates: true, stepUp: true })
  )
  .add(
    HttpApiEndpoint.get("trustedDevices", "/auth/mfa/trusted-devices")
      .addSuccess(Schema.Array(TrustedDevice))
      .annotate(Access, { caller: "session" })
  )
  .add(
    HttpApiEndpoint.post("trustDevice", "/auth/mfa/trusted-devices")
      .addSuccess(TrustedDevice, { status: 201 })
      .annotate(Access, { caller: "session", mutates: true, stepUp: true, creates: "secret" })
  )
  .add(
    HttpApiEndpoint.post("revokeDevice")`/auth/mfa/trusted-devices/${deviceId}/revoke`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "session", mutates: true })
  )
  .add(
    HttpApiEndpoint.patch("renameDevice")`/auth/mfa/trusted-devices/${deviceId}`
      .setPayload(RenameTrustedDevice)
      .addSuccess(TrustedDevice)
      .annotate(Access, { caller: "session", mutates: true })
  )
  .middleware(Authenticated)
{}
