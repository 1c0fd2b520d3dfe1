import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { parseInstant } from "../../src/cli/io/Since.ts"

describe("--since and --until", () => {
  it.effect("take ages, days and RFC 3339 times", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-22T10:00:00Z"))
      assert.strictEqual(yield* parseInstant("--since", "90s"), "2026-11-22T09:58:30.000Z")
      assert.strictEqual(yield* parseInstant("--since", "1h"), "2026-11-22T09:00:00.000Z")
      assert.strictEqual(yield* parseInstant("--since", "7d"), "2026-11-15T10:00:00.000Z")
      assert.strictEqual(yield* parseInstant("--since", "2w"), "2026-11-08T10:00:00.000Z")
      assert.strictEqual(yield* parseInstant("--until", "now"), "2026-11-22T10:00:00.000Z")
      const midnight = new Date(2026, 10, 22)
      assert.strictEqual(yield* parseInstant("--since", "today"), midnight.toISOString())
      assert.strictEqual(yield* parseInstant("--since", "yesterday"), new Date(2026, 10, 21).toISOString())
      assert.strictEqual(
        yield* parseInstant("--since", "2026-11-21T08:00:00.123456+02:00"),
        "2026-11-21T08:00:00.123456+02:00"
      )
    }))

  it.effect.each(["tomorrow", "", "1", "h", "-1h", "1 h", "1y", "2026-11-21", "9999999d"])(
    "refuse %j, and quote it",
    (text) =>
      Effect.gen(function*() {
        const { message, usage } = yield* Effect.flip(parseInstant("--since", text))
        assert.isTrue(usage)
        assert.match(message, /^--since takes a time such as /)
        assert.include(message, `not '${text}'`)
      })
  )
})
