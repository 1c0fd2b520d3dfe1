import { FileSystem } from "@effect/platform"
import { Console, Effect, Either, Option } from "effect"
import cluster from "node:cluster"
import { parseDatabaseUrl } from "../../../layers/Database.ts"
import { parseTunables, resolveHome, tunablesFile } from "../../../layers/Settings.ts"
import { settingDefinitions, Settings, type SettingsShape } from "../../../services/kernel/Settings.ts"
import type { Setting } from "../../../services/kernel/Settings/Kinds.ts"
import { givenOf } from "../../io/DecodeInput.ts"
import { Environment } from "../../program/Environment.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { lazyHandlers } from "../../program/Load.ts"
import { settings } from "../../program/Settings.ts"
import { listDeprecatedNames, listUnknownNames } from "../../program/UnknownNames.ts"
import { supervise } from "../Cluster.ts"
import type { serveDefinitions } from "../serve.ts"
import { announce, runServer } from "../ServedBrain.ts"

type ServeOptions = OptionsOf<typeof serveDefinitions.serve>

const demo = lazyHandlers(() => import("../../demo/Demo.ts"))

/** An option has the range of its setting. */
const checkOption = <A>(option: string, setting: Setting<A>, given: Option.Option<A>) =>
  Option.match(given, {
    onNone: () => Effect.void,
    onSome: (value) => {
      const parsed = setting.parse(String(value))
      return Either.isLeft(parsed)
        ? Effect.fail(new CliError({ usage: true, message: `--${option} ${parsed.left}` }))
        : Effect.void
    }
  })

const overridesOf = ({ host, port, workers }: ServeOptions): Partial<SettingsShape> => givenOf({ host, port, workers })

const warnOfOneWorker = (workers: number) =>
  Console.warn(
    `Warning: one worker runs instead of ${workers}, because SQLite allows one writing process. For more, use PostgreSQL (SVC_DATABASE_URL).`
  )

/** Names only: a value may be a secret under a mistyped name. */
const warnOfUnknownNames = Effect.gen(function*() {
  const environment = yield* Environment
  const [unknown, old] = [listUnknownNames(environment), listDeprecatedNames(environment)]
  if (unknown.length > 0) {
    yield* Console.warn(
      `Warning: these environment variables are not settings and have no effect: ${unknown.join(", ")}`
    )
  }
  if (old.length > 0) {
    yield* Console.warn(`Warning: these environment variables no longer have an effect: ${old.join(", ")}`)
  }
  const file = tunablesFile(resolveHome(environment))
  const fs = yield* FileSystem.FileSystem
  const content = yield* Effect.orElseSucceed(fs.readFileString(file), () => "")
  for (const warning of parseTunables(content).warnings) yield* Console.warn(`Warning: ${file}: ${warning}`)
})

export const handlers: HandlersOf<typeof serveDefinitions> = {
  serve: Effect.fnUntraced(function*(options) {
    yield* checkOption("port", settingDefinitions.port, options.port)
    yield* checkOption("workers", settingDefinitions.workers, options.workers)
    if (cluster.isPrimary) yield* warnOfUnknownNames
    if (options.demo) return yield* demo((module) => module.serveDemo)(overridesOf(options))
    const effective = settings(overridesOf(options))
    const { databaseUrl, home, workers } = yield* Effect.provide(Settings, effective)
    const { dialect } = yield* parseDatabaseUrl(databaseUrl, home)
    if (workers > 1 && dialect === "sqlite") yield* warnOfOneWorker(workers)
    return yield* workers > 1 && dialect === "pg" && cluster.isPrimary
      ? supervise(workers)
      : runServer(effective, announce)
  })
}
