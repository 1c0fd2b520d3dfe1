import { Console, Effect, Option } from "effect"
import { exportHead } from "../../services/Audit/ExportHead.ts"
import { verifyAll } from "../../services/Audit/Verify.ts"
import { Reader } from "../../services/Database.ts"
import { heldKeys, looking } from "../AuditLog.ts"
import { Refused } from "../Explain.ts"

export const run = ({ verify }: { readonly verify: boolean }) =>
  Effect.gen(function*() {
    const keys = yield* heldKeys
    if (verify) {
      const found = Option.getOrNull(yield* verifyAll(yield* Reader, keys))
      if (found !== null && found.problem !== null) {
        return yield* new Refused({ message: `the audit log is broken: ${found.problem.kind}: ${found.problem.detail}` })
      }
    }
    yield* Console.log(yield* exportHead(keys))
  }).pipe(Effect.provide(looking))
