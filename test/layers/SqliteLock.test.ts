import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { join } from "node:path"
import * as Brain from "../../src/layers/Brain.ts"
import * as SettingsLayer from "../../src/layers/Settings.ts"
import { temporaryHome } from "../databases.ts"

const brainAt = (home: string, databaseUrl: string) =>
  Layer.build(
    Layer.fresh(Brain.layer).pipe(
      Layer.provide(
        SettingsLayer.layer({ SVC_HOME: home }, {
          databaseUrl: Redacted.make(databaseUrl),
          publicUrl: "http://localhost"
        })
      ),
      Layer.provide(NodeContext.layer)
    )
  )

describe("embedded brains in one process", () => {
  it.scoped("share no SQLite file; the next one may have it", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const url = `sqlite:///${join(home, "one.db")}`
      yield* Effect.scoped(Effect.gen(function*() {
        yield* brainAt(home, url)
        const error = yield* Effect.flip(Effect.scoped(brainAt(home, url)))
        assert.strictEqual(error._tag, "AlreadyServed")
        assert.include(error.message, join(home, "one.db"))
      }))
      yield* Effect.scoped(brainAt(home, url))
    }))

  it.scoped("may each have a database in memory", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      yield* brainAt(home, "sqlite:///:memory:")
      yield* brainAt(home, "sqlite:///:memory:")
    }))
})
