/** Ticks as whole seconds since 1970, within the years that schedules are computed for. */
import { daysOf } from "../../kernel/Calendar.ts"
import { fromEpochMicros, secondsPerDay, type Timestamp, toEpochSeconds } from "../../kernel/Timestamp.ts"

/** No schedule is older, and what comes after them never comes. The bounds also limit what a zone keeps in memory. */
export const firstYear = 2000
export const lastYear = 2199

export const firstSecond = daysOf(firstYear, 1, 1) * secondsPerDay
/** exclusive */
export const endSecond = daysOf(lastYear + 1, 1, 1) * secondsPerDay

export const fromSecond = (second: number): Timestamp => fromEpochMicros(second * 1_000_000)

/** The first whole second at or after the time. */
export const roundUp = (timestamp: Timestamp): number =>
  toEpochSeconds(timestamp) + (timestamp.endsWith(".000000Z") ? 0 : 1)

/** Local time with its offset, both in seconds: `2026-10-25T02:30:00+02:00`. */
export const describeLocal = (second: number, offset: number): string => {
  const pad = (value: number) => String(value).padStart(2, "0")
  const minutes = Math.abs(offset) / 60 // since 2000 every offset is of whole minutes
  const sign = offset < 0 ? "-" : "+"
  return `${fromSecond(second + offset).slice(0, 19)}${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
