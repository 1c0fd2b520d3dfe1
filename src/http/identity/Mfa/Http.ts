import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { RecoveryCodes, TrustedDevice, VerifyMfaResult } from "../../../domain/identity/Mfa.ts"
import { Mfa } from "../../../services/identity/Mfa.ts"
import type { SessionCookie } from "../../../services/identity/Sessions/Creation.ts"
import { TrustedDevices } from "../../../services/identity/TrustedDevices.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { Cookies } from "../../middleware/Cookies.ts"

const verifiedJson = HttpServerResponse.schemaJson(VerifyMfaResult)
const recoveryCodes = HttpServerResponse.schemaJson(RecoveryCodes)
const trustedDevice = HttpServerResponse.schemaJson(TrustedDevice)

export const layer = implementGroup("mfa", function*(handlers) {
  const mfa = yield* Mfa
  const devices = yield* TrustedDevices
  const cookies = yield* Cookies
  const setSession = ({ maxAgeSeconds, token }: SessionCookie) => cookies.setSession(token, maxAgeSeconds)
  return handlers
    .handle("status", () => mfa.status())
    .handle("enrollStart", () => mfa.startEnrollment())
    .handle("enrollComplete", ({ payload }) =>
      Effect.gen(function*() {
        const { cookie, result } = yield* mfa.completeEnrollment(payload)
        return setSession(cookie)(yield* Effect.orDie(recoveryCodes(result)))
      }))
    .handle("verify", ({ payload, request }) =>
      Effect.gen(function*() {
        const { cookie, device, result } = yield* mfa.verify(payload, cookies.readDeviceToken(request))
        const response = setSession(cookie)(yield* Effect.orDie(verifiedJson(result)))
        return device === null ? response : cookies.setDevice(device.token, device.maxAgeSeconds)(response)
      }))
    .handle("disable", ({ payload }) =>
      Effect.gen(function*() {
        const { cookie, result } = yield* mfa.disable(payload)
        return setSession(cookie)(yield* Effect.orDie(verifiedJson(result)))
      }))
    .handle("regenerate", () => mfa.regenerateRecoveryCodes())
    .handle("trustedDevices", ({ request }) => devices.list(cookies.readDeviceToken(request)))
    .handle("trustDevice", ({ request }) =>
      Effect.gen(function*() {
        const { cookie, device } = yield* devices.create(cookies.readDeviceToken(request))
        const response = yield* Effect.orDie(trustedDevice(device, { status: 201 }))
        return cookies.setDevice(cookie.token, cookie.maxAgeSeconds)(response)
      }))
    .handle("revokeDevice", ({ path }) => devices.revoke(path.device_id))
    .handle(
      "renameDevice",
      ({ path, payload, request }) => devices.rename(path.device_id, payload.label, cookies.readDeviceToken(request))
    )
})
