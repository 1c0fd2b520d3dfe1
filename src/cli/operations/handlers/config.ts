import { FileSystem } from "@effect/platform"
import { Console, Effect, Redacted } from "effect"
import { parseTunables, resolveHome, starterFile, tunablesFile } from "../../../layers/Settings.ts"
import { settingDefinitions, Settings } from "../../../services/kernel/Settings.ts"
import { listEffective } from "../../../services/kernel/Settings/Effective.ts"
import { Environment } from "../../program/Environment.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { handleWithSettings } from "../../program/Settings.ts"
import type { definitions } from "../config.ts"

export const handlers: HandlersOf<typeof definitions> = {
  init: handleWithSettings(function*({ force }) {
    const fs = yield* FileSystem.FileSystem
    const { home } = yield* Settings
    const file = tunablesFile(home)
    yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(file, starterFile, { flag: force ? "w" : "wx", mode: 0o600 }).pipe(
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "AlreadyExists",
        () => new CliError({ message: `${file} exists already; --force overwrites it` })
      )
    )
    yield* Console.log(`wrote ${file}`)
  }),
  show: handleWithSettings(function*({ json, reveal }) {
    const effective = yield* Settings
    const keys = new Map(Object.entries(settingDefinitions).map(([key, { name }]) => [name, key]))
    const rows = listEffective(effective).map(({ name, source, value }) => {
      const plain: unknown = Reflect.get(effective, keys.get(name) ?? "")
      return { name, value: reveal && Redacted.isRedacted(plain) ? String(Redacted.value(plain)) : value, source }
    })
    yield* Console.log(
      json ? JSON.stringify(rows) : rows.map(({ name, source, value }) => `${name}=${value}  # ${source}`).join("\n")
    )
  }),
  validate: Effect.fnUntraced(function*() {
    const fs = yield* FileSystem.FileSystem
    const file = tunablesFile(resolveHome(yield* Environment))
    if (!(yield* fs.exists(file))) {
      return yield* Console.log(`${file} does not exist, so there is nothing to check (svc init writes one)`)
    }
    const { problems, values, warnings } = parseTunables(yield* fs.readFileString(file))
    if (problems.length > 0) return yield* new CliError({ message: `${file}: ${problems.join("; ")}` })
    for (const warning of warnings) yield* Console.warn(`Warning: ${file}: ${warning}`)
    yield* Console.log(`${file}: ok, ${values.size} settings`)
  })
}
