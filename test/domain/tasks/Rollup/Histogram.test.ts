import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  add,
  addEncoded,
  bucketOf,
  countLonger,
  distributionOf,
  encode,
  type Histogram,
  percentilesOf,
  relativeError
} from "../../../../src/domain/tasks/Rollup/Histogram.ts"

const histogramOf = (durations: ReadonlyArray<number>): Histogram => {
  const histogram: Histogram = new Map()
  for (const millis of durations) add(histogram, bucketOf(millis), 1)
  return histogram
}

const decode = (text: string): Histogram => {
  const histogram: Histogram = new Map()
  addEncoded(histogram, text)
  return histogram
}

const durations = fc.array(fc.integer({ min: 0, max: 100_000_000 }), { minLength: 1, maxLength: 200 })

/** The rank that `percentilesOf` returns: the smallest duration with at least that share at or below it. */
const exact = (given: ReadonlyArray<number>, share: number): number =>
  given.toSorted((left, right) => left - right)[Math.max(1, Math.ceil(share * given.length)) - 1]!

describe("histograms of durations", () => {
  it("return percentiles that are at most 2 % away from the true ones", () => {
    fc.assert(fc.property(durations, (given) => {
      const found = percentilesOf(encode(histogramOf(given)))!
      for (const [percentile, share] of [[found.p50, 0.5], [found.p95, 0.95], [found.p99, 0.99]] as const) {
        const wanted = exact(given, share)
        // rounding to three digits adds at most half a percent
        assert.isAtMost(
          Math.abs(percentile - wanted),
          wanted * (relativeError + 0.005) + 1e-9,
          `${percentile} for ${wanted}`
        )
      }
    }))
  })

  it("are the same as text, and merge in any order and by concatenation", () => {
    fc.assert(fc.property(durations, durations, (left, right) => {
      const both = histogramOf([...left, ...right])
      assert.deepStrictEqual(encode(decode(encode(both))), encode(both))
      assert.strictEqual(encode(decode(`${encode(histogramOf(right))} ${encode(histogramOf(left))}`)), encode(both))
    }))
  })

  it("lose what is subtracted, without a rest", () => {
    const histogram = histogramOf([1, 5, 5, 900])
    add(histogram, bucketOf(5), -1)
    assert.strictEqual(encode(histogram), encode(histogramOf([1, 5, 900])))
    assert.strictEqual(encode(decode("7:-2 7:2")), "")
    assert.isNull(percentilesOf("7:-2"))
  })

  it("put zero, hostile and not finite durations into buckets", () => {
    assert.strictEqual(bucketOf(0), 0)
    assert.strictEqual(bucketOf(-3), 0)
    assert.strictEqual(bucketOf(Number.NaN), 0)
    assert.strictEqual(bucketOf(1), 1)
    assert.strictEqual(bucketOf(Number.MAX_VALUE), 1000)
    assert.strictEqual(bucketOf(Infinity), 1000)
    assert.deepStrictEqual(percentilesOf(encode(histogramOf([0, 0, 0]))), { p50: 0, p95: 0, p99: 0 })
  })

  it("count the durations over a limit", () => {
    assert.strictEqual(countLonger(encode(histogramOf([10, 499, 500, 520, 9000])), 500), 2)
  })

  it("are distributed over few ranges without a gap, each duration in its own", () => {
    fc.assert(fc.property(durations, (given) => {
      const ranges = distributionOf(encode(histogramOf(given)), 40)
      assert.isAtMost(ranges.length, 40)
      assert.strictEqual(ranges.reduce((sum, { count }) => sum + count, 0), given.length)
      for (const [index, { from_ms }] of ranges.entries()) {
        if (index > 0) assert.strictEqual(from_ms, ranges[index - 1]?.to_ms)
      }
      // edges are rounded to three digits
      const [least, most] = [Math.min(...given), Math.max(...given)]
      assert.isTrue((ranges[0]?.from_ms ?? 0) * 0.994 <= least && (ranges.at(-1)?.to_ms ?? 0) * 1.006 >= most)
    }))
    assert.deepStrictEqual(distributionOf("", 40), [])
    assert.deepStrictEqual(distributionOf(encode(histogramOf([1])), 40), [{ from_ms: 0, to_ms: 1, count: 1 }])
    assert.deepStrictEqual(distributionOf(encode(histogramOf([0, 1, 1])), 40), [{ from_ms: 0, to_ms: 1, count: 3 }])
  })
})
