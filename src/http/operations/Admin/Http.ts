import { Effect } from "effect"
import { AuditForwarder } from "../../../services/audit/AuditForwarder.ts"
import { MfaPolicy } from "../../../services/identity/MfaPolicy.ts"
import { Settings } from "../../../services/kernel/Settings.ts"
import { listEffective } from "../../../services/kernel/Settings/Effective.ts"
import { Versions } from "../../../services/operations/Versions.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("admin", function*(handlers) {
  const settings = yield* Settings
  const forwarder = yield* AuditForwarder
  const versions = yield* Versions
  const mfaPolicy = yield* MfaPolicy
  return handlers
    .handle("settings", () => Effect.succeed({ svc_home: settings.home, settings: listEffective(settings) }))
    .handle("auditForwarder", () => forwarder.status)
    .handle("mfaPolicy", () => mfaPolicy.get())
    .handle("setMfaPolicy", ({ payload }) => mfaPolicy.set(payload))
    .handle("versions", () => versions.get())
    .handle("checkVersions", () => versions.check())
})
