import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { Loops } from "../../../../src/services/kernel/concurrency/Loops.ts"
import { Metrics } from "../../../../src/services/kernel/Metrics.ts"

const services = Loops.layer.pipe(Layer.provide(Metrics.layer))

describe("a loop", () => {
  it.scoped("rests longer after each failure in a row, and starts over once it went well", () =>
    Effect.gen(function*() {
      const loops = yield* Loops
      let failing = true
      let runs = 0
      const work = Effect.suspend(() => {
        runs++
        return failing ? Effect.fail("broken") : Effect.sleep("10 seconds")
      })
      yield* loops.forever("test", work, { longestPause: "2 seconds" })
      yield* TestClock.adjust("60 seconds")
      const atMost = runs
      assert.isAtLeast(atMost, 60 / 2.4)
      assert.isAtMost(atMost, 60 / 1.6 + 6)
      assert.strictEqual((yield* loops.state)[0]?.error, "broken")
      failing = false
      yield* TestClock.adjust("3 seconds") // rests, then works for ten seconds
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude((yield* loops.state)[0], { name: "test", error: null })
      failing = true
      runs = 0
      while (runs === 0) yield* TestClock.adjust("100 millis") // until the work that goes well is over
      runs = 0
      yield* TestClock.adjust("1 second") // rests of 100, 200 and 400 ms, not of 2 s
      assert.isAtLeast(runs, 3)
    }).pipe(Effect.provide(services)))
})
