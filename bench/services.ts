import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { join } from "node:path"
import * as DatabaseLayer from "../src/layers/Database.ts"
import * as SettingsLayer from "../src/layers/Settings.ts"
import type { SettingsShape } from "../src/services/kernel/Settings.ts"
import { freshPostgres } from "./brain.ts"
import type { Database } from "./run.ts"

/** What a bench of the brain's services in its own process begins with. */

/** A new folder, deleted with the scope, and the database that goes with it: `file`, unless there is a `url`. */
export const freshHome = (database: Database) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const home = yield* fs.makeTempDirectoryScoped({ directory: "/tmp" })
    const url = database === "postgresql" ? (yield* freshPostgres).url : null
    return { home, url, file: join(home, "svc.db") }
  })

type Home = Effect.Effect.Success<ReturnType<typeof freshHome>>

/** The settings of a brain there. */
export const settingsIn = ({ home, url }: Home, overrides: Partial<SettingsShape> = {}) =>
  SettingsLayer.layer({ SVC_HOME: home }, { databaseUrl: url === null ? null : Redacted.make(url), ...overrides })

/** The settings of a brain in a new folder with an empty database. */
export const freshSettings = (database: Database, overrides: Partial<SettingsShape> = {}) =>
  Layer.unwrapScoped(Effect.map(freshHome(database), (home) => settingsIn(home, overrides)))

/** The database of a brain with this environment, as it is. */
export const databaseOf = (env: Readonly<Record<string, string>>) =>
  DatabaseLayer.layerUnmigrated.pipe(Layer.provide(SettingsLayer.layer(env)), Layer.provide(NodeContext.layer))
