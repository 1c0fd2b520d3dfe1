import { Console, Effect, Option } from "effect"
import { exportHead } from "../../services/Audit/ExportHead.ts"
import { verifyLog } from "../../services/Audit/Verify.ts"
import { Reader } from "../../services/Database.ts"
import { readKeys, layerReadOnly } from "../AuditLog.ts"
import { Refused } from "../Explain.ts"

export const run = ({ verify }: { readonly verify: boolean }) =>
  Effect.gen(function*() {
    const keys = yield* readKeys
    if (verify) {
      const found = Option.getOrNull(yield* verifyLog(yield* Reader, keys))
      if (found !== null && found.problem !== null) {
        return yield* new Refused({ message: `the audit log is broken: ${found.problem.kind}: ${found.problem.detail}` })
      }
    }
    yield* Console.log(yield* exportHead(keys))
  }).pipe(Effect.provide(layerReadOnly))
