import { Console, Effect } from "effect"
import { activateChainKey, stageChainKey } from "../../services/Audit/Rotation.ts"
import { Keys } from "../../services/Keys.ts"
import { layerAuditLog } from "../AuditLog.ts"

export const run = (options: { readonly activate: boolean }) =>
  Effect.gen(function*() {
    const { auditChain } = yield* Keys
    const key_id = yield* stageChainKey
    if (options.activate) {
      yield* activateChainKey
      return yield* Console.log(`the key ${key_id} signs the audit log from now on`)
    }
    const where = auditChain.file === null ? "SVC_AUDIT_CHAIN_KEY" : auditChain.file
    yield* Console.log(
      `the key ${key_id} is in ${where}, and signs nothing yet. Give every replica the same keys, then run svc audit activate-chain-state`
    )
  }).pipe(Effect.provide(layerAuditLog))
