import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { RecoveryCodes, TrustedDevice, Verified } from "../../domain/Mfa.ts"
import { Mfa } from "../../services/Mfa.ts"
import type { SessionCookie } from "../../services/Sessions/Opening.ts"
import { TrustedDevices } from "../../services/TrustedDevices.ts"
import { Api } from "../Api.ts"
import { Cookies } from "../middleware/Cookies.ts"

const verified = HttpServerResponse.schemaJson(Verified)
const recoveryCodes = HttpServerResponse.schemaJson(RecoveryCodes)
const trustedDevice = HttpServerResponse.schemaJson(TrustedDevice)

export const layer = HttpApiBuilder.group(Api, "mfa", Effect.fnUntraced(function*(handlers) {
  const mfa = yield* Mfa
  const devices = yield* TrustedDevices
  const cookies = yield* Cookies
  const session = ({ maxAgeSeconds, token }: SessionCookie) => cookies.issue(token, maxAgeSeconds)
  return handlers
    .handle("status", () => mfa.status())
    .handle("enrollStart", () => mfa.enrollStart())
    .handle("enrollComplete", ({ payload }) =>
      Effect.gen(function*() {
        const { answer, cookie } = yield* mfa.enrollComplete(payload)
        return session(cookie)(yield* Effect.orDie(recoveryCodes(answer)))
      }))
    .handle("verify", ({ payload, request }) =>
      Effect.gen(function*() {
        const { answer, cookie, device } = yield* mfa.verify(payload, cookies.device(request))
        const response = session(cookie)(yield* Effect.orDie(verified(answer)))
        return device === null ? response : cookies.issueDevice(device.token, device.maxAgeSeconds)(response)
      }))
    .handle("disable", ({ payload }) =>
      Effect.gen(function*() {
        const { answer, cookie } = yield* mfa.disable(payload)
        return session(cookie)(yield* Effect.orDie(verified(answer)))
      }))
    .handle("regenerate", () => mfa.regenerate())
    .handle("trustedDevices", ({ request }) => devices.list(cookies.device(request)))
    .handle("trustDevice", ({ request }) =>
      Effect.gen(function*() {
        const { cookie, device } = yield* devices.create(cookies.device(request))
        const response = yield* Effect.orDie(trustedDevice(device, { status: 201 }))
        return cookies.issueDevice(cookie.token, cookie.maxAgeSeconds)(response)
      }))
    .handle("revokeDevice", ({ path }) => devices.revoke(path.device_id))
    .handle("renameDevice", ({ path, payload, request }) => devices.rename(path.device_id, payload.label, cookies.device(request)))
}))
