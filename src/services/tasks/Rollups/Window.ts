/** Which rows cover a window: as many of the coarse levels as fit, so that a long window reads few rows. */
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { type Level, levels } from "./Series.ts"

/** Rows of a level; both bounds are buckets and included, in minutes since 1970. */
export interface LevelRange {
  readonly level: Level
  readonly from: number
  readonly to: number
}

const hour = 60
const day = 1440

/** The moment of a minute since 1970. */
export const timestampOf = (minute: number): Timestamp.Timestamp => Timestamp.fromEpochMillis(minute * 60_000)

const ceil = (minute: number, size: number): number => Math.ceil(minute / size) * size

/** The level whose buckets make up those of so many minutes. */
export const levelOf = (minutes: number): Level =>
  minutes < hour ? levels.minute : minutes < day ? levels.hour : levels.day

/** The size of the step at which a window of so many minutes begins: a chart of a day needs no minutes. */
const stepOf = (minutes: number): number => minutes < day ? 1 : minutes < 30 * day ? hour : day

/** The beginning of a window that ends now, in minutes since 1970. */
export const startOfWindow = (now: number, minutes: number): number => {
  const step = stepOf(minutes)
  return Math.floor((now - minutes) / step) * step
}

/** The rows from a minute until now: minutes up to a full hour, hours up to a full day, days; none above a level. */
export const coverOf = (from: number, now: number, coarsest: Level = levels.day): ReadonlyArray<LevelRange> => {
  const firstHour = coarsest < levels.hour ? Infinity : ceil(from, hour)
  const firstDay = coarsest < levels.day ? Infinity : ceil(from, day)
  const ranges: ReadonlyArray<LevelRange> = [
    { level: levels.minute, from, to: Math.min(firstHour - 1, now) },
    { level: levels.hour, from: firstHour, to: Math.min(firstDay - 1, now) },
    { level: levels.day, from: firstDay, to: now }
  ]
  return ranges.filter(({ from, to }) => from <= to)
}
