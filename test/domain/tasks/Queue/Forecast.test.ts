import { assert, describe, it } from "@effect/vitest"
import { type DepthAt, forecastOf } from "../../../../src/domain/tasks/Queue/Forecast.ts"

const now = 1_000_000

/** A depth for each of the last minutes, the last one now. */
const minutes = (...depths: ReadonlyArray<number>): ReadonlyArray<DepthAt> =>
  depths.map((depth, index) => ({ minute: now - depths.length + 1 + index, depth }))

describe("the forecast of a queue", () => {
  it("says when a queue will be empty, and that a growing one never will", () => {
    assert.deepStrictEqual(forecastOf(minutes(200, 180, 160, 140, 120, 100), now), {
      trend: "emptying",
      per_minute: -20,
      empty_in_seconds: 300
    })
    assert.deepStrictEqual(forecastOf(minutes(10, 22, 34, 46, 58, 70), now), {
      trend: "growing",
      per_minute: 12,
      empty_in_seconds: null
    })
    assert.strictEqual(forecastOf(minutes(9, 4, 2, 1, 0, 0), now)?.trend, "empty")
  })

  it("is not bent by a burst of a minute", () => {
    const drained = minutes(200, 190, 180, 5000, 160, 150, 140, 130, 120)
    assert.deepStrictEqual(forecastOf(drained, now), { trend: "emptying", per_minute: -10, empty_in_seconds: 720 })
  })

  it("of a queue that drains after a jump is that it will be empty, and that it has turned until that is sure", () => {
    assert.deepStrictEqual(forecastOf(minutes(0, 0, 0, 0, 0, 0, 0, 132, 120, 108), now), {
      trend: "turned",
      per_minute: -12,
      empty_in_seconds: null
    })
    assert.deepStrictEqual(forecastOf(minutes(0, 0, 0, 0, 0, 0, 0, 132, 120, 108, 96, 84, 72), now), {
      trend: "emptying",
      per_minute: -12,
      empty_in_seconds: 360
    })
    assert.strictEqual(forecastOf(minutes(200, 190, 180, 170, 160, 150, 300), now)?.trend, "turned")
  })

  it("calls a queue steady that changes within its scatter, or would take longer than a day", () => {
    assert.strictEqual(forecastOf(minutes(5, 6, 5, 6, 5, 6), now)?.trend, "steady")
    assert.strictEqual(forecastOf(minutes(10_000, 10_010, 10_005, 10_020, 10_012, 10_008), now)?.trend, "steady")
    const slow = minutes(100_000, 99_600, 99_200, 98_800, 98_400, 98_000).map(({ depth, minute }) => ({
      minute,
      depth: depth * 10
    }))
    assert.deepStrictEqual(forecastOf(slow, now), { trend: "emptying", per_minute: -4000, empty_in_seconds: 14_700 })
    const slower = Array.from({ length: 15 }, (_, index) => ({ minute: now - 14 + index, depth: 9_000 - index * 6 }))
    assert.deepStrictEqual(forecastOf(slower, now), { trend: "steady", per_minute: -6, empty_in_seconds: null })
  })

  it("says nothing from too few, too close, too old or later reports", () => {
    assert.isNull(forecastOf([], now))
    assert.isNull(forecastOf(minutes(40, 30, 20, 10), now))
    assert.isNull(forecastOf(minutes(50, 40, 30, 20, 10), now)) // 5 reports, 4 minutes
    assert.isNull(forecastOf(minutes(60, 50, 40, 30, 20, 10), now + 3))
    assert.isNotNull(forecastOf(minutes(60, 50, 40, 30, 20, 10), now + 2))
    assert.isNull(forecastOf(minutes(60, 50, 40, 30, 20, 10), now - 2))
  })
})
