import { SqlError } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, TestClock } from "effect"
import { jsonLogger } from "../../src/layers/Logs.ts"
import { Loops } from "../../src/services/kernel/concurrency/Loops.ts"
import { Metrics } from "../../src/services/kernel/Metrics.ts"

/** The lines that an effect logs, as values. */
const linesOf = <E>(effect: Effect.Effect<unknown, E, Loops>) => {
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const collect = Logger.map(jsonLogger, (line) => void lines.push(JSON.parse(line)))
  const layer = Layer.mergeAll(
    Loops.layer.pipe(Layer.provide(Metrics.layer)),
    Logger.replace(Logger.defaultLogger, collect)
  )
  return Effect.as(Effect.provide(effect, layer), lines)
}

const diskFull = new SqlError.SqlError({
  cause: Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" }),
  message: "Failed to write"
})

describe("the log", () => {
  it.effect("says the cause of a known failure in one line", () =>
    Effect.gen(function*() {
      const [line] = yield* linesOf(
        Effect.catchAllCause(Effect.fail(diskFull), (cause) => Effect.logError("no", cause))
      )
      assert.strictEqual(line?.error, "the disk is full (database or disk is full)")
    }))

  it.effect("has the stack of an unknown failure once, however often a loop meets it", () =>
    Effect.gen(function*() {
      const lines = yield* linesOf(Effect.scoped(Effect.gen(function*() {
        const { forever } = yield* Loops
        yield* forever("test", Effect.die(new Error("a bug")), { longestPause: "1 second" })
        yield* TestClock.adjust("10 seconds")
      })))
      assert.isAbove(lines.length, 5)
      assert.include(String(lines[0]?.error), "Logs.test.ts")
      for (const line of lines.slice(1)) {
        assert.strictEqual(line.msg, "loop test failed again: a bug")
        assert.notProperty(line, "error")
      }
    }))
})
