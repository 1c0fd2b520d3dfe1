import { assert, describe, it } from "@effect/vitest"
import { hasValue, isLastUnfinished, isolatedIndexes, splitLast } from "../../web/src/overview/chartData.ts"

describe("the data of a chart", () => {
  it("tells the last bucket apart until it has ended", () => {
    const times = [0, 60_000, 120_000]
    assert.isTrue(isLastUnfinished(times, 120_000))
    assert.isTrue(isLastUnfinished(times, 179_999))
    assert.isFalse(isLastUnfinished(times, 180_000))
    assert.isFalse(isLastUnfinished([60_000], 60_000), "one bucket does not say how long it is")
    assert.isFalse(isLastUnfinished([], 0))
  })

  it("draws the way to an unfinished value apart; a bar has none", () => {
    assert.deepStrictEqual(splitLast([1, 2, 3, 4], false), {
      final: [1, 2, 3, null],
      rest: [null, null, 3, 4]
    })
    assert.deepStrictEqual(splitLast([1, 2, 3, 4], true), {
      final: [1, 2, 3, null],
      rest: [null, null, null, 4]
    })
    assert.deepStrictEqual(splitLast([1, null, 4], false).rest, [null, null, 4])
  })

  it("finds values that no line reaches", () => {
    assert.deepStrictEqual(isolatedIndexes([1, null, 2, 3, null, null, 4, null, 5]), [0, 6, 8])
    assert.deepStrictEqual(isolatedIndexes([1, 2]), [])
    assert.deepStrictEqual(isolatedIndexes([7]), [0])
  })

  it("has no axes without a value", () => {
    assert.isFalse(hasValue([{ values: [null, null] }, { values: [] }]))
    assert.isTrue(hasValue([{ values: [null, null] }, { values: [0] }]))
  })
})
