import { Console, Effect } from "effect"
import { retireChainKey } from "../../services/Audit/Rotation.ts"
import { layerAuditLog } from "../AuditLog.ts"

export const run = ({ keyId, lost }: { readonly keyId: string; readonly lost: boolean }) =>
  Effect.gen(function*() {
    const last = yield* retireChainKey(keyId, lost)
    const rows = last === null ? "no row of it is left" : `its last row is ${last}, and later rows prove it`
    yield* Console.log(`the key ${keyId} is retired: ${rows}. Take it out of SVC_AUDIT_CHAIN_KEY everywhere`)
  }).pipe(Effect.provide(layerAuditLog))
