import { Console, Effect } from "effect"
import { activateChainKey } from "../../services/Audit/Rotation.ts"
import { layerAuditLog } from "../AuditLog.ts"

export const run = () =>
  Effect.gen(function*() {
    const done = yield* activateChainKey
    yield* Console.log(
      done === null
        ? "no key is staged: there is nothing to activate"
        : `the key ${done.to} signs the audit log from now on; ${done.from ?? "no key"} did before`
    )
  }).pipe(Effect.provide(layerAuditLog))
