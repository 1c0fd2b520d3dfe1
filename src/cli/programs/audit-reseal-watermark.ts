import { Console, Effect } from "effect"
import { resealWatermark } from "../../services/Audit/ResealWatermark.ts"
import { layerAuditLog, decodePublicKeys } from "../AuditLog.ts"

export const run = ({ publicKey }: { readonly publicKey: ReadonlyArray<string> }) =>
  Effect.gen(function*() {
    const seq = yield* resealWatermark(yield* decodePublicKeys(publicKey))
    yield* Console.log(
      seq === null
        ? "there is nothing to do: no row was pruned, or the watermark has the present key's signature"
        : `the watermark at row ${seq} has the present key's signature`
    )
  }).pipe(Effect.provide(layerAuditLog))
