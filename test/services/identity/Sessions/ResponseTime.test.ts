import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Option, TestClock } from "effect"
import { padToMultiple } from "../../../../src/services/identity/Sessions/ResponseTime.ts"

describe("ASVS 5.0 by the test's clock", () => {
  it.effect("ASVS 6.3.8 however long a login takes, its response takes a multiple of the same time", () =>
    Effect.gen(function*() {
      const measureResponse = (work: number, slot: number) =>
        Effect.gen(function*() {
          const begin = yield* Clock.currentTimeMillis
          const failing = Effect.zipRight(Effect.sleep(work), Effect.fail("no"))
          const fiber = yield* Effect.fork(Effect.flip(padToMultiple(failing, slot)))
          while (Option.isNone(yield* Fiber.poll(fiber))) yield* TestClock.adjust(10)
          assert.strictEqual(yield* Fiber.join(fiber), "no")
          return (yield* Clock.currentTimeMillis) - begin
        })
      const times = [[0, 30], [20, 30], [30, 30], [40, 30], [70, 30], [20, 0]] as const
      const durations = yield* Effect.forEach(times, ([work, slot]) => measureResponse(work, slot))
      assert.deepStrictEqual(durations, [30, 30, 30, 60, 90, 20])
    }))
})
