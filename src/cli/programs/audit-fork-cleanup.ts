import { Console, Effect } from "effect"
import { cleanUpFork } from "../../services/Audit/ForkCleanup.ts"
import { layerAuditLog } from "../AuditLog.ts"

export const run = () =>
  Effect.gen(function*() {
    const file = yield* cleanUpFork
    yield* Console.log(
      file === null
        ? "there is nothing to do: the audit log has what the last checkpoint of this machine says, and a log has one chain only"
        : `the former checkpoints are in ${file}; the log says so, and new ones begin`
    )
  }).pipe(Effect.provide(layerAuditLog))
