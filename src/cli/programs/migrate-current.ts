import { Console, Effect } from "effect"
import { migrations } from "../../../migrations/index.ts"
import { Refused } from "../Explain.ts"
import { inspect } from "../Inspection.ts"

export const run = ({ checkHeads, json }: { readonly checkHeads: boolean; readonly json: boolean }) =>
  Effect.gen(function*() {
    const head = migrations[migrations.length - 1]?.id ?? 0
    const { revision } = yield* inspect
    yield* Console.log(json ? JSON.stringify({ revision, head }) : `${revision ?? "none"}${revision === head ? " (head)" : ""}`)
    if (checkHeads && revision !== head) {
      return yield* new Refused({ message: `the database is at revision ${revision ?? "none"}, this program's head is ${head}` })
    }
  })
