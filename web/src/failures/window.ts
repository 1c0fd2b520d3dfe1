import type { Schemas } from "../api/client.ts"

export type FailureWindowCounts = Schemas["FailureWindow"]

/** When each bucket begins, in epoch milliseconds. The first one is cut at the beginning of the window. */
export const bucketTimes = ({ bucket_seconds, counts, since }: FailureWindowCounts): ReadonlyArray<number> => {
  const begin = Date.parse(since)
  const millis = bucket_seconds * 1000
  const first = Math.floor(begin / millis) * millis
  return counts.map((_, index) => Math.max(begin, first + index * millis))
}
