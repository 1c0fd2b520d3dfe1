import { Console, Effect } from "effect"
import { forkCleanup } from "../../services/Audit/ForkCleanup.ts"
import { changing } from "../AuditLog.ts"

export const run = () =>
  Effect.gen(function*() {
    const aside = yield* forkCleanup
    yield* Console.log(
      aside === null
        ? "there is nothing to do: the audit log has what the last checkpoint of this machine says, and a log has one chain only"
        : `the former checkpoints are in ${aside}; the log says so, and new ones begin`
    )
  }).pipe(Effect.provide(changing))
