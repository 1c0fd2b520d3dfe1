/** Failed attempts of a window, in the buckets of a chart. */
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { FailureWindow } from "../../../domain/tasks/Failure/Group.ts"
import { minuteOf } from "../../../domain/tasks/FailureRate.ts"
import { levels } from "../Rollups/Series.ts"
import { coverOf, type LevelRange, startOfWindow, timestampOf } from "../Rollups/Window.ts"

/** Only buckets of less than an hour need minutes, and the longest window that has them is a day and its first hour. */
export const keptMinutesDays = 2

const hour = 60
const day = 1440

/** The most buckets of a window, and their lengths in minutes; where no length suffices, a day. */
interface Buckets {
  readonly most: number
  readonly sizes: ReadonlyArray<number>
}

/** Of the groups of a list, without quarters of an hour, since 7 hours of minutes of 50 groups are 21 000 rows. */
export const listBuckets: Buckets = { most: 31, sizes: [5, hour, 6 * hour] }
/** Of one group. */
export const chartBuckets: Buckets = { most: 180, sizes: [1, 5, 15, hour, 6 * hour] }

/** In minutes since 1970. Buckets begin at multiples of their size, and the first one is cut at the start. */
export interface CountedWindow {
  readonly from: number
  readonly size: number
  readonly buckets: number
}

/** The window of so many hours until now. It begins where windows of the rollups do. */
export const windowOf = (now: Timestamp, hours: number, { most, sizes }: Buckets): CountedWindow => {
  const minute = minuteOf(now)
  const from = startOfWindow(minute, hours * hour)
  const size = sizes.find((size) => hours * hour <= size * most) ?? day
  return { from, size, buckets: Math.floor(minute / size) - Math.floor(from / size) + 1 }
}

/** The rows to read. The last range has no end, because an agent's clock may be ahead. */
export const rangesOf = ({ from, size }: CountedWindow): ReadonlyArray<LevelRange> =>
  coverOf(from, Number.MAX_SAFE_INTEGER, size < hour ? levels.minute : size < day ? levels.hour : levels.day)

/** The counts of one group in the window. A slot is minutes since 1970, divided by the size. */
export const fillWindow = (
  { buckets, from, size }: CountedWindow,
  slots: ReadonlyArray<{ readonly slot: number; readonly occurrences: number }>
): FailureWindow => {
  const counts = Array.from({ length: buckets }, () => 0)
  const first = Math.floor(from / size)
  for (const { occurrences, slot } of slots) {
    const index = Math.min(slot - first, buckets - 1)
    counts[index] = (counts[index] ?? 0) + occurrences
  }
  return {
    since: timestampOf(from),
    bucket_seconds: size * 60,
    occurrences: counts.reduce((sum, count) => sum + count, 0),
    counts
  }
}
