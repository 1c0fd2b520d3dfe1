import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SettingsLayer from "../src/layers/Settings.ts"
import type { SettingsShape } from "../src/services/Settings.ts"
import { freshPostgres } from "./postgres.ts"

/** A fresh folder for SVC_HOME, removed with the scope. */
export const temporaryHome = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-test-"))),
  (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
)

export type Engine = "SQLite" | "PostgreSQL"

/** For `describe.each(engines)`: every suite that touches the database runs on both. */
export const engines: ReadonlyArray<Engine> = ["SQLite", "PostgreSQL"]

/** Settings over a fresh home and a fresh database of this engine, unless they are given. */
export const settingsOn = (engine: Engine, overrides: Partial<SettingsShape> = {}) =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const home = overrides.home ?? (yield* temporaryHome)
    const isOnFresh = engine === "PostgreSQL" && overrides.databaseUrl === undefined
    const databaseUrl = isOnFresh ? Redacted.make((yield* freshPostgres).url) : null
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
