/** What a chart draws of its values; plain functions, which the tests call. */

export type Values = ReadonlyArray<number | null>

/** The length of a bucket in milliseconds; that of the first may be cut. */
export const bucketLength = (times: ReadonlyArray<number>): number => {
  const [last, previous] = [times.at(-1), times.at(-2)]
  return last === undefined || previous === undefined ? 0 : last - previous
}

/** The time of the buckets that begin between two places of a chart; of one place the bucket that begins nearest to it. */
export const rangeOf = (
  times: ReadonlyArray<number>,
  from: number,
  to: number
): { readonly from: number; readonly to: number } | null => {
  const [first, length] = [times[0], bucketLength(times)]
  if (first === undefined || length === 0) return null
  const nearest = (time: number) =>
    times.reduce((best, one) => (Math.abs(one - time) < Math.abs(best - time) ? one : best), first)
  const inside = times.filter((time) => time >= from && time <= to)
  const [begin, end] = [inside[0] ?? nearest(from), inside.at(-1) ?? nearest(from)]
  return { from: begin, to: times[times.indexOf(end) + 1] ?? end + length }
}

/** Whether the last bucket had not ended when it was read: it will still grow. Times are epoch milliseconds. */
export const isLastUnfinished = (times: ReadonlyArray<number>, readAt: number): boolean => {
  const [last, previous] = [times.at(-1), times.at(-2)]
  return last !== undefined && previous !== undefined && last + (last - previous) > readAt
}

/** The values that are final, and apart from them the way to the last one; a bar has no way to it. */
export const splitLast = (values: Values, isBars: boolean): { readonly final: Values; readonly rest: Values } => {
  const begin = values.length - (isBars ? 1 : 2)
  return {
    final: values.with(-1, null),
    rest: values.map((value, index) => (index >= begin ? value : null))
  }
}

/** The values without a neighbour, which no line reaches. */
export const isolatedIndexes = (values: Values): Array<number> =>
  values.flatMap((value, index) =>
    value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null ? [index] : []
  )

export const hasValue = (series: ReadonlyArray<{ readonly values: Values }>): boolean =>
  series.some(({ values }) => values.some((value) => value !== null))
