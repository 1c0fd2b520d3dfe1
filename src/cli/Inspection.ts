import { Effect, Layer } from "effect"
import * as DatabaseLayer from "../layers/Database.ts"
import { Database } from "../services/Database.ts"
import { Migrations } from "../services/Migrations.ts"
import { Settings } from "../services/Settings.ts"
import { settings } from "./Settings.ts"

/** The database as it is, neither made nor migrated nor written to, and the settings. */
export const inspected = DatabaseLayer.inspected.pipe(Layer.provideMerge(settings()))

export interface Inspection {
  /** SVC_HOME, absolute. */
  readonly home: string
  /** Without its password. */
  readonly database_url: string
  /** False for a SQLite file that is still to be made. */
  readonly database_exists: boolean
  /** Null before the first migration. */
  readonly revision: number | null
}

const existing = Effect.gen(function*() {
  const { shownUrl } = yield* Database
  const { current } = yield* Migrations
  const revision = yield* current
  return { database_url: shownUrl, database_exists: true, revision: revision === 0 ? null : revision }
})

/** What `svc check` tells: settings that load, and a database that answers or is still to be made. */
export const inspect = Effect.gen(function*() {
  const { home } = yield* Settings
  const found = yield* existing.pipe(
    Effect.provide(DatabaseLayer.inspected),
    Effect.catchTag("DatabaseMissing", ({ file }) =>
      Effect.succeed({ database_url: `sqlite:///${file}`, database_exists: false, revision: null }))
  )
  return { home, ...found } satisfies Inspection
}).pipe(Effect.provide(settings()))

/** For people, one line each. */
export const linesOf = (found: Inspection): ReadonlyArray<string> => [
  `settings: ok (SVC_HOME ${found.home})`,
  `database: ${found.database_url} ${found.database_exists ? "answers" : "is not there yet; svc serve makes it"}`,
  `revision: ${found.revision ?? "none"}`
]
