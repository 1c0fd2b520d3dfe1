/**
 * The wall times that a cron expression matches, without a time zone. A wall time is what a clock on the wall shows, as
 * the seconds since 1970 that it would be in UTC.
 */
import { dateOf, daysInMonth, daysOf } from "../../kernel/Calendar.ts"
import { secondsPerDay } from "../../kernel/Timestamp.ts"
import type { CronFields, Days, Weekdays } from "./CronExpression.ts"
import { firstYear, lastYear } from "./Seconds.ts"

export interface WallTimes {
  /** The first match at or after the wall time, or null. */
  readonly firstFrom: (wall: number) => number | null
  /** The last match before the wall time, or null. */
  readonly lastBefore: (wall: number) => number | null
}

export const makeWallTimes = (fields: CronFields): WallTimes => {
  const times = makeTimesOfDay(fields)
  const days = makeDays(fields)
  return {
    firstFrom: (wall) => {
      const day = Math.floor(wall / secondsPerDay)
      const time = days.has(day) ? times.firstFrom(wall - day * secondsPerDay) : -1
      if (time >= 0) return day * secondsPerDay + time
      const next = days.firstFrom(day + 1)
      return next === null ? null : next * secondsPerDay + times.first
    },
    lastBefore: (wall) => {
      const day = Math.floor((wall - 1) / secondsPerDay)
      const time = days.has(day) ? times.lastTo(wall - 1 - day * secondsPerDay) : -1
      if (time >= 0) return day * secondsPerDay + time
      const previous = days.lastTo(day - 1)
      return previous === null ? null : previous * secondsPerDay + times.last
    }
  }
}

/** Whether a day exists that the fields match. Years repeat their days in 28 years, as 2000 to 2027 do. */
export const everMatches = (fields: CronFields): boolean => {
  for (let year = 2000; year < 2028; year++) {
    for (const month of fields.months) if (matchDays(fields.days, fields.weekdays, year, month) !== 0) return true
  }
  return false
}

/** For each value of 0 to `size` - 1, the next allowed one at or after it, or -1. */
const makeFirstFrom = (values: ReadonlySet<number>, size: number): Int8Array => {
  const first = new Int8Array(size + 1).fill(-1)
  for (let value = size - 1; value >= 0; value--) first[value] = values.has(value) ? value : (first[value + 1] ?? -1)
  return first
}

/** For each value, the last allowed one at or before it, or -1. */
const makeLastTo = (values: ReadonlySet<number>, size: number): Int8Array => {
  const last = new Int8Array(size).fill(-1)
  for (let value = 0; value < size; value++) last[value] = values.has(value) ? value : (last[value - 1] ?? -1)
  return last
}

/** Matching seconds of a day; -1 is none. */
const makeTimesOfDay = ({ hours, minutes, seconds }: CronFields) => {
  const hoursFrom = makeFirstFrom(hours, 24)
  const minutesFrom = makeFirstFrom(minutes, 60)
  const secondsFrom = makeFirstFrom(seconds, 60)
  const hoursTo = makeLastTo(hours, 24)
  const minutesTo = makeLastTo(minutes, 60)
  const secondsTo = makeLastTo(seconds, 60)
  // The defaults below are never taken: the tables have an entry for each hour, minute and second, and one behind.
  const firstMinute = minutesFrom[0] ?? -1
  const firstSecond = secondsFrom[0] ?? -1
  const lastMinute = minutesTo[59] ?? -1
  const lastSecond = secondsTo[59] ?? -1
  const join = (hour: number, minute: number, second: number) => hour * 3600 + minute * 60 + second

  return {
    first: join(hoursFrom[0] ?? -1, firstMinute, firstSecond),
    last: join(hoursTo[23] ?? -1, lastMinute, lastSecond),
    firstFrom: (time: number): number => {
      const hour = Math.floor(time / 3600)
      const minute = Math.floor(time / 60) % 60
      if (hoursFrom[hour] === hour) {
        if (minutesFrom[minute] === minute) {
          const second = secondsFrom[time % 60] ?? -1
          if (second >= 0) return join(hour, minute, second)
        }
        const nextMinute = minutesFrom[minute + 1] ?? -1
        if (nextMinute >= 0) return join(hour, nextMinute, firstSecond)
      }
      const nextHour = hoursFrom[hour + 1] ?? -1
      return nextHour < 0 ? -1 : join(nextHour, firstMinute, firstSecond)
    },
    lastTo: (time: number): number => {
      const hour = Math.floor(time / 3600)
      const minute = Math.floor(time / 60) % 60
      if (hoursTo[hour] === hour) {
        if (minutesTo[minute] === minute) {
          const second = secondsTo[time % 60] ?? -1
          if (second >= 0) return join(hour, minute, second)
        }
        const earlierMinute = minutesTo[minute - 1] ?? -1
        if (earlierMinute >= 0) return join(hour, earlierMinute, lastSecond)
      }
      const earlierHour = hoursTo[hour - 1] ?? -1
      return earlierHour < 0 ? -1 : join(earlierHour, lastMinute, lastSecond)
    }
  }
}

/** As year * 12 + month - 1. One month more at each end, since local time is not UTC. */
const firstMonth = firstYear * 12 - 1
const lastMonth = (lastYear + 1) * 12

/** Matching days since 1970. The days of the last requested month are kept: a search stays in a month. */
const makeDays = ({ days, months, weekdays }: CronFields) => {
  let keptMonth = NaN // year * 12 + month - 1
  let keptFirst = Infinity
  let keptBits = 0
  const loadMonth = (index: number): void => {
    if (index === keptMonth) return
    const year = Math.floor(index / 12)
    const month = index - year * 12 + 1
    keptMonth = index
    keptFirst = daysOf(year, month, 1)
    keptBits = months.has(month) ? matchDays(days, weekdays, year, month) : 0
  }
  const monthOf = (day: number): number => {
    const { month, year } = dateOf(day)
    return year * 12 + month - 1
  }
  const isKept = (day: number): boolean => day >= keptFirst && day < keptFirst + 28

  return {
    has: (day: number): boolean => {
      if (!isKept(day)) loadMonth(monthOf(day))
      return (keptBits >>> (day - keptFirst) & 1) === 1
    },
    firstFrom: (day: number): number | null => {
      for (let index = monthOf(day); index <= lastMonth; index++) {
        if (!months.has(index % 12 + 1)) continue
        loadMonth(index)
        const bits = day > keptFirst ? keptBits & (-1 << (day - keptFirst)) : keptBits
        if (bits !== 0) return keptFirst + 31 - Math.clz32(bits & -bits)
      }
      return null
    },
    lastTo: (day: number): number | null => {
      for (let index = monthOf(day); index >= firstMonth; index--) {
        if (!months.has(index % 12 + 1)) continue
        loadMonth(index)
        const bits = day - keptFirst < 31 ? keptBits & (2 ** (day - keptFirst + 1) - 1) : keptBits
        if (bits !== 0) return keptFirst + 31 - Math.clz32(bits)
      }
      return null
    }
  }
}

/**
 * The matching days of a month as bits, the lowest for the 1st. If both fields restrict, a day needs to match either
 * (crontab(5)).
 */
const matchDays = (days: Days, weekdays: Weekdays, year: number, month: number): number => {
  const length = daysInMonth(year, month)
  const firstWeekday = (daysOf(year, month, 1) + 4) % 7 // 1970-01-01 was a Thursday
  if (days.isAny && weekdays.isAny) return 2 ** length - 1
  const byDay = days.isAny ? 0 : matchDaysOfMonth(days, length, firstWeekday)
  const byWeekday = weekdays.isAny ? 0 : matchWeekdays(weekdays, length, firstWeekday)
  return byDay | byWeekday
}

const matchDaysOfMonth = (days: Days, length: number, firstWeekday: number): number => {
  let bits = 0
  const add = (day: number) => {
    if (day >= 1 && day <= length) bits |= 1 << (day - 1)
  }
  for (const day of days.numbers) add(day)
  for (const count of days.beforeLast) add(length - count)
  for (const day of days.nearestWeekdays) if (day <= length) add(moveToWeekday(day, length, firstWeekday))
  if (days.lastWeekday) {
    const weekday = (firstWeekday + length - 1) % 7
    add(weekday === 0 ? length - 2 : weekday === 6 ? length - 1 : length)
  }
  return bits
}

/** Monday to Friday nearest to the day, in the same month: Saturday the 1st is Monday the 3rd. */
const moveToWeekday = (day: number, length: number, firstWeekday: number): number => {
  const weekday = (firstWeekday + day - 1) % 7
  if (weekday === 6) return day > 1 ? day - 1 : day + 2
  if (weekday === 0) return day < length ? day + 1 : day - 2
  return day
}

const matchWeekdays = (weekdays: Weekdays, length: number, firstWeekday: number): number => {
  let bits = 0
  for (let day = 1; day <= length; day++) {
    const weekday = (firstWeekday + day - 1) % 7
    const isLast = day + 7 > length && weekdays.last.has(weekday)
    const isNth = weekdays.nth.some(([nth, occurrence]) => nth === weekday && occurrence === Math.ceil(day / 7))
    if (isLast || isNth || weekdays.numbers.has(weekday)) bits |= 1 << (day - 1)
  }
  return bits
}
