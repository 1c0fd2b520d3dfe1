import { FileSystem } from "@effect/platform"
import { Console, Effect } from "effect"
import { resolveHome, parseTunables, tunablesFile } from "../../layers/Settings.ts"
import { Environment } from "../Environment.ts"
import { Refused } from "../Explain.ts"

export const run = () =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const file = tunablesFile(resolveHome(yield* Environment))
    if (!(yield* fs.exists(file))) return yield* Console.log(`${file} is not there: nothing to check (svc init makes one)`)
    const { problems, values, warnings } = parseTunables(yield* fs.readFileString(file))
    if (problems.length > 0) return yield* new Refused({ message: `${file}: ${problems.join("; ")}` })
    for (const warning of warnings) yield* Console.warn(`Warning: ${file}: ${warning}`)
    yield* Console.log(`${file}: ok, ${values.size} settings`)
  })
