import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { inject } from "vitest"
import * as SettingsLayer from "../src/layers/Settings.ts"
import type { SettingsShape } from "../src/services/Settings.ts"

/** A fresh folder for SVC_HOME, removed with the scope. */
export const temporaryHome = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-test-"))),
  (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
)

const onServer = (run: (client: pg.Client) => Promise<unknown>) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: inject("postgresUrl") })
    await client.connect()
    try {
      await run(client)
    } finally {
      await client.end()
    }
  })

/** The URL of a fresh PostgreSQL database, dropped with the scope. */
export const freshPostgres = Effect.acquireRelease(
  Effect.gen(function*() {
    const name = `svc_test_${randomBytes(6).toString("hex")}`
    yield* onServer((client) => client.query(`CREATE DATABASE ${name}`))
    const url = new URL(inject("postgresUrl"))
    url.pathname = `/${name}`
    return { name, url: url.toString() }
  }),
  ({ name }) => onServer((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
)

export type Engine = "SQLite" | "PostgreSQL"

/** For `describe.each(engines)`: every suite that touches the database runs on both. */
export const engines: ReadonlyArray<Engine> = ["SQLite", "PostgreSQL"]

/** Settings over a fresh home and a fresh database of this engine, unless they are given. */
export const settingsOn = (engine: Engine, overrides: Partial<SettingsShape> = {}) =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const home = overrides.home ?? (yield* temporaryHome)
    const databaseUrl = engine === "PostgreSQL" ? Redacted.make((yield* freshPostgres).url) : null
    return SettingsLayer.layer({ SVC_HOME: home }, {
      databaseUrl,
      databasePoolSize: 8,
      host: "127.0.0.1",
      port: 0,
      publicUrl: "http://localhost",
      loginMinDuration: 0,
      ...overrides
    })
  })).pipe(Layer.provideMerge(NodeContext.layer))
