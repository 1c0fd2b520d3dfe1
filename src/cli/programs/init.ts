import { FileSystem } from "@effect/platform"
import { Console, Effect } from "effect"
import { starterFile, tunablesFile } from "../../layers/Settings.ts"
import { Settings } from "../../services/Settings.ts"
import { Refused } from "../Explain.ts"
import { settings } from "../Settings.ts"

export const run = ({ force }: { readonly force: boolean }) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { home } = yield* Settings
    const file = tunablesFile(home)
    yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(file, starterFile, { flag: force ? "w" : "wx", mode: 0o600 }).pipe(
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "AlreadyExists",
        () => new Refused({ message: `${file} is there already; --force overwrites it` })
      )
    )
    yield* Console.log(`wrote ${file}`)
  }).pipe(Effect.provide(settings()))
