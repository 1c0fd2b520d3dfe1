/**
 * Durations in logarithmic buckets, as in DDSketch (Masson, Rim, Lee: "DDSketch: a fast and fully-mergeable quantile
 * sketch with relative-error guarantees", VLDB 2019): a quantile is at most 2 % away from the true one. A histogram is
 * a sum of counts, so histograms are added and subtracted in any order. As text it is `bucket:count` pairs with spaces
 * between; a count of 1 is left out.
 */

/** Counts by bucket. A count may be negative in a change. */
export type Histogram = Map<number, number>

export const relativeError = 0.02

const gamma = (1 + relativeError) / (1 - relativeError)
const perLog = 1 / Math.log(gamma)

/** Bucket of the longest runtime that JSON can hold: no text of an agent creates more buckets. */
const lastBucket = 1000

/** Bucket 0 is shorter than a millisecond. */
export const bucketOf = (millis: number): number =>
  millis >= 1 ? Math.min(lastBucket, 1 + Math.ceil(Math.log(millis) * perLog)) : 0

/** The duration in milliseconds that is at most 2 % away from all those of the bucket. */
const durationOf = (bucket: number): number => bucket === 0 ? 0 : (2 * gamma ** (bucket - 1)) / (gamma + 1)

export const add = (histogram: Histogram, bucket: number, count: number): void => {
  const sum = (histogram.get(bucket) ?? 0) + count
  if (sum === 0) histogram.delete(bucket)
  else histogram.set(bucket, sum)
}

export const encode = (histogram: Histogram): string => {
  if (histogram.size === 0) return ""
  let text = ""
  for (const bucket of [...histogram.keys()].sort((left, right) => left - right)) {
    const count = histogram.get(bucket)!
    text += `${text === "" ? "" : " "}${bucket}${count === 1 ? "" : `:${count}`}`
  }
  return text
}

/** An encoded histogram, which may name the bucket already, with one duration more (1) or less (-1). */
export const appendEncoded = (text: string, bucket: number, sign: 1 | -1): string =>
  `${text === "" ? "" : `${text} `}${bucket}${sign === 1 ? "" : ":-1"}`

const minus = 45
const zero = 48
const nine = 57
const colon = 58

/** Calls `visit` for each pair of an encoded histogram, or of several with spaces between. */
const forEachPair = (text: string, visit: (bucket: number, count: number) => void): void => {
  const end = text.length
  let position = 0
  while (position < end) {
    let code = text.charCodeAt(position)
    if (code < zero || code > nine) {
      position++
      continue
    }
    let bucket = 0
    while (code >= zero && code <= nine) {
      bucket = bucket * 10 + code - zero
      code = text.charCodeAt(++position)
    }
    let count = 1
    if (code === colon) {
      count = 0
      code = text.charCodeAt(++position)
      const isNegative = code === minus
      if (isNegative) code = text.charCodeAt(++position)
      while (code >= zero && code <= nine) {
        count = count * 10 + code - zero
        code = text.charCodeAt(++position)
      }
      if (isNegative) count = -count
    }
    visit(bucket, count)
  }
}

/** Adds an encoded histogram, or several with spaces between. */
export const addEncoded = (histogram: Histogram, text: string): void =>
  forEachPair(text, (bucket, count) => add(histogram, bucket, count))

/** Percentiles of durations, in milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** The sum that `percentilesOf` makes; empty between its calls. A map for each call took three times as long. */
const sums = new Float64Array(lastBucket + 1)

/**
 * The percentiles of an encoded histogram, or of the sum of several with spaces between; null without a duration. A
 * bucket with a negative count, which only lost updates could cause, counts as empty.
 */
export const percentilesOf = (text: string): Percentiles | null => {
  if (text === "") return null
  let first = lastBucket
  let last = 0
  forEachPair(text, (bucket, count) => {
    if (bucket > lastBucket) return
    sums[bucket]! += count
    if (bucket < first) first = bucket
    if (bucket > last) last = bucket
  })
  let total = 0
  for (let bucket = first; bucket <= last; bucket++) {
    if (sums[bucket]! < 0) sums[bucket] = 0
    total += sums[bucket]!
  }
  const quantile = (share: number): number => {
    let rank = Math.max(1, Math.ceil(share * total))
    for (let bucket = first; bucket <= last; bucket++) {
      rank -= sums[bucket]!
      if (rank <= 0) return roundDuration(durationOf(bucket))
    }
    return 0
  }
  const percentiles = total === 0 ? null : { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) }
  sums.fill(0, first, last + 1)
  return percentiles
}

/** Three significant digits are finer than the error. */
const roundDuration = (millis: number): number => Number(millis.toPrecision(3))

/** How many durations are longer than the limit; those in its own bucket count as not longer. */
export const countLonger = (text: string, limitMillis: number): number => {
  const limit = bucketOf(limitMillis)
  let longer = 0
  forEachPair(text, (bucket, count) => {
    if (bucket > limit) longer += count
  })
  return Math.max(0, longer)
}

/** Tasks whose duration is longer than `from_ms`, where that is 0 also those of 0, and at most `to_ms`. */
export interface DurationRange {
  readonly from_ms: number
  readonly to_ms: number
  readonly count: number
}

/** The longest duration of the bucket. */
const upperEdgeOf = (bucket: number): number => (bucket === 0 ? 0 : roundDuration(gamma ** (bucket - 1)))

/** An encoded histogram, or the sum of several, in at most so many ranges; each range has as many buckets as the others. */
export const distributionOf = (text: string, most: number): ReadonlyArray<DurationRange> => {
  const histogram: Histogram = new Map()
  addEncoded(histogram, text)
  // 0 ms and 1 ms are one range: no duration is shorter than the edge of the first one
  const counts = [...histogram].filter(([, count]) => count > 0)
    .map(([bucket, count]) => [Math.max(1, bucket), count] as const)
  if (counts.length === 0) return []
  const buckets = counts.map(([bucket]) => bucket)
  const first = Math.min(...buckets)
  const size = Math.ceil((Math.max(...buckets) - first + 1) / most)
  const ranges = new Map<number, number>()
  for (const [bucket, count] of counts) add(ranges, Math.floor((bucket - first) / size), count)
  return Array.from({ length: Math.max(...ranges.keys()) + 1 }, (_, index) => ({
    from_ms: upperEdgeOf(first + index * size - 1),
    to_ms: upperEdgeOf(first + (index + 1) * size - 1),
    count: ranges.get(index) ?? 0
  }))
}
