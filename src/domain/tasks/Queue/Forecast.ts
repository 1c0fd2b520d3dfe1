/** When a queue will be empty, from the depths of its last minutes. */
import { Schema } from "effect"
import { describeBody, describeField } from "../../kernel/Describe.ts"

/** A depth that was reported in a minute since 1970. */
export interface DepthAt {
  readonly minute: number
  readonly depth: number
}

/** How many minutes a forecast looks back. */
export const forecastMinutes = 15

/** Fewer reports say too little, and so do reports that span a shorter time. */
const minReports = 5
const minSpanMinutes = 5
/** The minutes that tell whether the depth still goes the way of the ones before. */
const latestMinutes = 2
/** Without a report for longer, the depth now is unknown. */
const maxAgeMinutes = 2
/** A time further away says no more than that the queue hardly changes. */
const longestMinutes = 24 * 60
/** Changes within the reports' own scatter: of the depth, and in tasks. */
const steadyShare = 0.02
const steadyTasks = 2

export const QueueForecast = Schema.Struct({
  trend: describeField(
    Schema.Literal("empty", "emptying", "growing", "steady", "turned"),
    "`empty`: nothing waits now; `emptying`: it will be empty in `empty_in_seconds`; `growing`: never at this rate; " +
      "`steady`: it hardly changes, or would take longer than 24 hours; `turned`: too lately to say.",
    "emptying"
  ),
  per_minute: describeField(
    Schema.Number,
    "By how many tasks the depth changes in a minute: the median of the slopes of the last 15 minutes, of the last 5 where it has turned, of the last 2 of `turned`.",
    -30
  ),
  empty_in_seconds: describeField(
    Schema.NullOr(Schema.Int),
    "Seconds until it is empty at this rate; null unless `emptying`.",
    240
  )
}).annotations(describeBody("QueueForecast", "When a queue will be empty at its present rate."))
export type QueueForecast = typeof QueueForecast.Type

/**
 * The forecast of a queue whose depths of the last minutes are given in the order of time; null where they say too little:
 * fewer than 5 minutes with a report, a span of less than 5 minutes, or no report in the last 2. A queue that drains after
 * many tasks came at once has grown in most pairs of its minutes: where the last 2 minutes go the other way than all, the
 * last 5 count, and where they go the other way than these too, it is said that the depth has turned.
 *
 * The rate is the Theil-Sen estimator, the median of the slopes between all pairs of points (P. K. Sen, Estimates of the
 * Regression Coefficient Based on Kendall's Tau, JASA 63, 1968): a burst of up to a quarter of the minutes does not bend it.
 */
export const forecastOf = (depths: ReadonlyArray<DepthAt>, nowMinute: number): QueueForecast | null => {
  const recent = depths.filter(({ minute }) => minute > nowMinute - forecastMinutes && minute <= nowMinute)
  const first = recent[0]
  const last = recent.at(-1)
  if (first === undefined || last === undefined || recent.length < minReports) return null
  if (last.minute - first.minute < minSpanMinutes || last.minute < nowMinute - maxAgeMinutes) return null
  const changeIn = (minutes: number) => {
    const points = recent.filter(({ minute }) => minute >= last.minute - minutes)
    const rate = medianSlopeOf(points)
    const change = Math.abs(rate) * (last.minute - (points[0] ?? last).minute)
    return { rate, isSteady: change < steadyTasks || change < steadyShare * last.depth }
  }
  const latest = changeIn(latestMinutes)
  const found = [forecastMinutes, minSpanMinutes].map(changeIn)
    .find(({ isSteady, rate }) => last.depth === 0 || (isSteady ? latest.isSteady : rate * latest.rate >= 0))
  const { isSteady, rate } = found ?? latest
  const per_minute = Math.round(rate * 10) / 10
  if (found === undefined) return { trend: "turned", per_minute, empty_in_seconds: null }
  if (last.depth === 0) return { trend: "empty", per_minute, empty_in_seconds: null }
  if (!isSteady && rate > 0) return { trend: "growing", per_minute, empty_in_seconds: null }
  const minutes = last.depth / -rate
  return isSteady || minutes > longestMinutes
    ? { trend: "steady", per_minute, empty_in_seconds: null }
    : { trend: "emptying", per_minute, empty_in_seconds: Math.ceil(minutes * 60) }
}

/** In tasks per minute. At most 15 points, so 105 pairs. */
const medianSlopeOf = (points: ReadonlyArray<DepthAt>): number => {
  const slopes = points.flatMap((point, index) =>
    points.slice(index + 1).map(({ depth, minute }) => (depth - point.depth) / (minute - point.minute))
  ).sort((left, right) => left - right)
  const middle = slopes.length >> 1
  const upper = slopes[middle] ?? 0
  return slopes.length % 2 === 1 ? upper : ((slopes[middle - 1] ?? 0) + upper) / 2
}
