import { assert, describe, layer } from "@effect/vitest"
import { Effect, Either, Fiber, Layer } from "effect"
import { isUnavailable, Reader } from "../../../src/services/kernel/sql/Database.ts"
import { Scans } from "../../../src/services/tasks/Scans.ts"
import { brainOn } from "../../brain.ts"
import { engines } from "../../databases.ts"

describe.each(engines)("scans on %s", (engine) => {
  layer(Scans.layer.pipe(Layer.provideMerge(brainOn(engine))), { excludeTestServices: true })((it) => {
    it.effect("return rows as arrays, whatever the parameters", () =>
      Effect.gen(function*() {
        const sql = yield* Reader
        const scans = yield* Scans
        const rows = yield* scans.run(sql`SELECT ${"a'b"} AS x, 1 + 1 AS y UNION ALL SELECT ${null}, 3 ORDER BY y`)
        assert.deepStrictEqual(rows, [["a'b", 2], [null, 3]])
      }))

    it.effect("fail with the database's own error, and continue", () =>
      Effect.gen(function*() {
        const sql = yield* Reader
        const scans = yield* Scans
        const invalid = yield* Effect.either(scans.run(sql`SELECT nothing FROM nowhere`))
        assert.isTrue(Either.isLeft(invalid) && !isUnavailable(invalid.left))
        assert.deepStrictEqual(yield* scans.run(sql`SELECT 1`), [[1]])
      }))

    it.effect("do not run statements whose callers are interrupted", () =>
      Effect.gen(function*() {
        const sql = yield* Reader
        const scans = yield* Scans
        // a statement of some seconds, were it run to its end
        const long = scans.run(
          sql`WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT COUNT(*) FROM n`
        )
        const fibers = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.fork(long))
        yield* Effect.yieldNow()
        yield* Fiber.interruptAll(fibers)
        assert.deepStrictEqual(yield* scans.run(sql`SELECT 2`), [[2]])
      }))

    it.effect("complete when many run at once", () =>
      Effect.gen(function*() {
        const sql = yield* Reader
        const scans = yield* Scans
        const results = yield* Effect.all(
          Array.from({ length: 40 }, (_, index) => scans.run(sql`SELECT ${index} + 0 AS x`)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          results.map(([row]) => Number(row?.[0])),
          Array.from({ length: 40 }, (_, index) => index)
        )
      }))
  })
})
