import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import * as SettingsLayer from "../src/layers/Settings.ts"
import type { SettingsShape } from "../src/services/kernel/Settings.ts"
import { migratedPostgres } from "./postgres.ts"

/** A fresh folder for SVC_HOME, removed with the scope. */
export const temporaryHome = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-test-"))),
  (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
)

/** As `temporaryHome`, with a SQLite file that has all migrations. */
const migratedHome = Effect.tap(temporaryHome, (home) =>
  Effect.sync(() => {
    const { sqlite } = inject("migrated")
    if (sqlite !== "") copyFileSync(sqlite, join(home, "svc.db"))
  }))

export type Engine = "SQLite" | "PostgreSQL"

/** For `describe.each(engines)`: every suite that touches the database runs on both. */
export const engines: ReadonlyArray<Engine> = ["SQLite", "PostgreSQL"]

/** Settings over a fresh home and a fresh, migrated database of this engine, unless they are given. */
export const settingsOn = (engine: Engine, overrides: Partial<SettingsShape> = {}) =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const home = overrides.home ?? (yield* migratedHome)
    const isOnFresh = engine === "PostgreSQL" && overrides.databaseUrl === undefined
    const databaseUrl = isOnFresh ? Redacted.make((yield* migratedPostgres).url) : null
    return SettingsLayer.layer({ SVC_HOME: home }, {
      databaseUrl,
      databasePoolSize: 8,
      host: "127.0.0.1",
      port: 0,
      publicUrl: "http://localhost",
      loginMinDuration: 0,
      telegramUrl: "https://127.0.0.1:9", // an address that is not called
      ...overrides
    })
  })).pipe(Layer.provideMerge(NodeContext.layer))
