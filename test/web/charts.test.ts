import { assert, describe, it } from "@effect/vitest"
import { fullestOf, sumByWeek } from "../../web/src/failures/heatmap.ts"
import { clusterMarks } from "../../web/src/marks/clusterMarks.ts"
import type { Mark } from "../../web/src/marks/marks.ts"
import { hasValue, isLastUnfinished, isolatedIndexes, rangeOf, splitLast } from "../../web/src/overview/chartData.ts"
import { compare, type PastCount, valuesWeekAgo, weekMillis } from "../../web/src/overview/comparison.ts"

const hour = 3_600_000
const now = 1000 * hour

const bucketOf = (start: number, success: number, failure = 0) => ({
  t: new Date(start).toISOString(),
  received: 0,
  success,
  failure,
  retry: 0,
  revoked: 0,
  rejected: 0,
  total: success + failure,
  avg_runtime_ms: null,
  runtime_ms: null,
  wait_ms: null
})

describe("the heatmap of failures", () => {
  it("sums hours by the weekday and hour of the zone, also beside a change of clocks", () => {
    const at = (text: string) => Date.parse(`${text}:00Z`)
    // a Sunday: clocks in Berlin go from 2 to 3 at 01:00 UTC
    const times = [at("2026-03-28T23:00"), at("2026-03-29T00:00"), at("2026-03-29T01:00"), at("2026-04-05T01:00")]
    const week = sumByWeek(times, [1, 2, 4, 8], "Europe/Berlin")
    assert.deepStrictEqual([week[6]?.[0], week[6]?.[1], week[6]?.[2], week[6]?.[3]], [1, 2, 0, 12])
    assert.strictEqual(sumByWeek(times, [1, 2, 4, 8], "UTC")[5]?.[23], 1)
    assert.deepStrictEqual(fullestOf(week), { day: 6, hour: 3, count: 12 })
    assert.isNull(fullestOf(sumByWeek([], [], "UTC")))
  })
})

describe("a window beside the week before", () => {
  const past: ReadonlyArray<PastCount> = [
    { start: now - weekMillis - 2 * hour, length: hour, value: 8 },
    { start: now - weekMillis - hour, length: hour, value: 4 },
    { start: now - weekMillis, length: hour, value: null }
  ]

  it("gives a shorter bucket its share of an hour's count, and the hour's own rate", () => {
    const quarters = [-2 * hour, -1.75 * hour, -hour, 0, 5 * hour, 5.25 * hour].map((time) => now + time)
    assert.deepStrictEqual(valuesWeekAgo(quarters, past, true), [2, 2, 1, null, null, null])
    assert.deepStrictEqual(valuesWeekAgo(quarters, past, false), [8, 8, 4, null, null, null])
  })

  it("compares with the same part of it", () => {
    const from = now - 2 * hour
    const window = { window: "6h", bucket: "1h" } as const
    const trends = {
      ...window,
      series: [bucketOf(from, 5), bucketOf(from + hour, 4), bucketOf(now, 3)],
      totals: { ...bucketOf(from, 12, 3), runtime_ms: { p50: 1, p95: 30, p99: 1 } }
    }
    const before = {
      ...window,
      series: [bucketOf(from - weekMillis, 4), bucketOf(now - hour - weekMillis, 4), bucketOf(now - weekMillis, 4)],
      totals: { ...bucketOf(from, 12), runtime_ms: { p50: 1, p95: 20, p99: 1 } }
    }
    // half of the last hour is over: 10 before
    assert.deepStrictEqual(compare(trends, before, now + hour / 2), {
      ended: 0.5,
      failed: null,
      retries: null,
      runTime: 0.5,
      queueTime: null
    })
    assert.isNull(compare({ ...trends, window: "1h" }, before, now).runTime, "of other tasks")
  })
})

describe("marks", () => {
  const markAt = (time: number): Mark => ({
    kind: "deploy",
    id: String(time),
    at: new Date(time).toISOString(),
    until: null,
    title: "v1",
    detail: null,
    url: null,
    count: 1
  })

  it("that are close together on the screen are one flag", () => {
    const clusters = clusterMarks([0, 10, 23, 24, 60].map(markAt), ({ at }) => Date.parse(at), 24)
    assert.deepStrictEqual(
      clusters.map(({ left, marks }) => [left, marks.length]),
      [[0, 3], [24, 1], [60, 1]]
    )
  })
})

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

  it("finds the time of the buckets that were dragged over, or of the one that was clicked", () => {
    const times = [0, 60_000, 120_000]
    assert.deepStrictEqual(rangeOf(times, 50_000, 130_000), { from: 60_000, to: 180_000 })
    assert.deepStrictEqual(rangeOf(times, 0, 0), { from: 0, to: 60_000 })
    assert.deepStrictEqual(rangeOf(times, 70_000, 80_000), { from: 60_000, to: 120_000 }, "between two buckets")
    assert.isNull(rangeOf([60_000], 0, 0), "one bucket does not say how long it is")
  })
})
