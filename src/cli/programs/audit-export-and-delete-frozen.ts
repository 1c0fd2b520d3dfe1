import { Console, Effect } from "effect"
import { exportAndDeleteFrozen } from "../../services/Audit/FrozenRows.ts"
import { layerAuditLog } from "../AuditLog.ts"

export const run = ({ output }: { readonly output: string }) =>
  Effect.gen(function*() {
    const rows = yield* exportAndDeleteFrozen(output)
    yield* Console.log(
      rows === 0 ? "there is nothing to do: no row was signed with a retired key" : `${rows} rows are in ${output} and not in the log any more`
    )
  }).pipe(Effect.provide(layerAuditLog))
