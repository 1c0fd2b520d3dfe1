import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as DatabaseLayer from "../../../../src/layers/Database.ts"
import { Reader } from "../../../../src/services/kernel/sql/Database.ts"
import { PreparedReads } from "../../../../src/services/kernel/sql/PreparedReads.ts"
import { engines, settingsOn } from "../../../databases.ts"

describe.each(engines)("prepared reads on %s", (engine) => {
  const database = DatabaseLayer.layer.pipe(Layer.provide(settingsOn(engine)))

  it.scopedLive("read what is committed, as objects and as arrays, at each call", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const prepare = yield* PreparedReads
      yield* sql`CREATE TABLE pairs (id TEXT PRIMARY KEY, value INTEGER)`
      const rows = prepare.rows<{ id: string; value: number | null }>(
        "SELECT id, value FROM pairs WHERE id >= ? AND id < ? ORDER BY id"
      )
      const values = prepare.values("SELECT value, id FROM pairs WHERE id = ?")
      assert.deepStrictEqual(yield* rows("a", "z"), [])
      yield* sql`INSERT INTO pairs VALUES ('a', 1), ('b', NULL)`
      assert.deepStrictEqual(yield* rows("a", "z"), [{ id: "a", value: 1 }, { id: "b", value: null }])
      assert.deepStrictEqual(yield* values("a"), [[1, "a"]])
      const both = yield* Effect.all([rows("a", "b"), values("b"), rows("b", "z")], { concurrency: "unbounded" })
      assert.deepStrictEqual(both, [[{ id: "a", value: 1 }], [[null, "b"]], [{ id: "b", value: null }]])
    }).pipe(Effect.provide(database)))

  it.scopedLive("within a transaction read its own changes, as Reader does, and with spans too", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const read = yield* Reader
      const prepare = yield* PreparedReads
      yield* sql`CREATE TABLE pairs (id TEXT PRIMARY KEY, value INTEGER)`
      const values = prepare.values("SELECT id FROM pairs WHERE value = ?")
      const seen = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO pairs VALUES ('mine', 7)`
        return [yield* values(7), yield* read`SELECT id FROM pairs WHERE value = 7`.values]
      }))
      assert.deepStrictEqual(seen, [[["mine"]], [["mine"]]])
      assert.deepStrictEqual(yield* Effect.withTracerEnabled(values(7), true), [["mine"]])
      assert.deepStrictEqual(yield* Effect.withTracerEnabled(values(7), false), [["mine"]])
    }).pipe(Effect.provide(database)))

  it.scopedLive("fail with the database's error", () =>
    Effect.gen(function*() {
      const prepare = yield* PreparedReads
      const error = yield* Effect.flip(
        Effect.withTracerEnabled(prepare.rows("SELECT id FROM there_is_no_such_table")(), false)
      )
      assert.strictEqual(error._tag, "SqlError")
    }).pipe(Effect.provide(database)))
})
