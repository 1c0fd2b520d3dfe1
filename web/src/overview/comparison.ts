/** How a window compares with the same window a week ago; plain functions, which the tests call. */
import type { Schemas } from "../api/client.ts"
import { bucketLength, type Values } from "./chartData.ts"

type Trends = Schemas["TrendsResponse"]

export const weekMillis = 7 * 86_400_000

/** The length of buckets by name, in milliseconds. */
const bucketMillis = { "1m": 60_000, "5m": 300_000, "15m": 900_000, "1h": 3_600_000, "1d": 86_400_000 } as const

/** What was counted from `start` on, for `length` milliseconds. */
export interface PastCount {
  readonly start: number
  readonly length: number
  readonly value: number | null
}

/** The share of the time from `from` to `to` that a count was made in. */
const overlapOf = ({ length, start }: PastCount, from: number, to: number): number =>
  Math.max(0, Math.min(start + length, to) - Math.max(start, from)) / length

/** The sum of counts from `from` to `to`, of counts that are partly outside their share. */
export const sumBetween = (counts: ReadonlyArray<PastCount>, from: number, to: number): number =>
  counts.reduce((sum, count) => sum + (count.value ?? 0) * overlapOf(count, from, to), 0)

/**
 * The values a week before each bucket. Those of a week ago are counted by the hour or day: a shorter bucket has its share of a
 * count, and the hour's own rate or duration.
 */
export const valuesWeekAgo = (
  times: ReadonlyArray<number>,
  past: ReadonlyArray<PastCount>,
  isCount: boolean
): Values => {
  const length = bucketLength(times)
  return times.map((time) => {
    const at = time - weekMillis
    const found = past.find(({ length, start }) => start <= at && at < start + length)
    if (found === undefined || found.value === null) return null
    return isCount ? found.value * Math.min(1, length / found.length) : found.value
  })
}

export const pastCounts = (
  past: Trends,
  valueOf: (bucket: Schemas["TrendBucket"]) => number | null
): ReadonlyArray<PastCount> =>
  past.series.map((bucket) => ({
    start: Date.parse(bucket.t),
    length: bucketMillis[past.bucket],
    value: valueOf(bucket)
  }))

/** How much more there is than before, as a share; null where nothing was before. */
export const changeOf = (now: number | null | undefined, before: number | null | undefined): number | null =>
  now === null || now === undefined || before === null || before === undefined || before === 0
    ? null
    : now / before - 1

/** The changes against the week before, as shares. */
export interface Changes {
  readonly ended: number | null
  readonly failed: number | null
  readonly retries: number | null
  readonly runTime: number | null
  readonly queueTime: number | null
}

/** The part of the window that is over, against the same part a week ago; durations by p95. */
export const compare = (trends: Trends, past: Trends, readAt: number): Changes => {
  const from = Date.parse(trends.series[0]?.t ?? "") - weekMillis
  const sum = (valueOf: (bucket: Schemas["TrendBucket"]) => number) =>
    sumBetween(pastCounts(past, valueOf), from, readAt - weekMillis)
  const { failure, retry, runtime_ms, success, wait_ms } = trends.totals
  // of a shorter window than the past has hours, the durations are those of other tasks
  const isSameTime = past.window === trends.window
  return {
    ended: changeOf(success + failure, sum((bucket) => bucket.success + bucket.failure)),
    failed: changeOf(failure, sum((bucket) => bucket.failure)),
    retries: changeOf(retry, sum((bucket) => bucket.retry)),
    runTime: isSameTime ? changeOf(runtime_ms?.p95, past.totals.runtime_ms?.p95) : null,
    queueTime: isSameTime ? changeOf(wait_ms?.p95, past.totals.wait_ms?.p95) : null
  }
}
