import { Effect } from "effect"
import { inject } from "vitest"
import { type Engine } from "../databases.ts"
import { migratedPostgres } from "../postgres.ts"
import { siteOf } from "./brainProcess.ts"

/** A site for tests: the bundled program of this run, on a fresh database of this engine. */
export const site = (engine: Engine, settings: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const database = engine === "PostgreSQL" ? { SVC_DATABASE_URL: (yield* migratedPostgres).url } : {}
    const migrated = engine === "SQLite" ? inject("migrated").sqlite : ""
    return yield* siteOf(inject("program"), { ...database, ...settings }, { migrated })
  })
