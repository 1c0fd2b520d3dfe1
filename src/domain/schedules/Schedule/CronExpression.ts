/**
 * Reads a cron expression: five fields, or six with seconds first; names, ranges, steps, lists, `?`, `L`, `W`, `#` and
 * nicknames. Nothing is computed from an expression of more than 1 024 characters, so the work is bounded.
 */
import * as Either from "effect/Either"
import {
  dayOfMonth,
  dayOfWeek,
  type FieldKind,
  hour,
  minute,
  month,
  quote,
  readItem,
  readValue,
  refuse,
  second
} from "./CronField.ts"

export interface CronFields {
  readonly seconds: ReadonlySet<number>
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly days: Days
  readonly weekdays: Weekdays
  /** Whether minute or hour has `*` or a step: ticks then follow elapsed time over a change of the offset. */
  readonly isElapsed: boolean
}

/** Rules for days of the month. */
export interface Days {
  /** Whether the field is `*` or `?`. A field that names each day restricts, as in crontab(5). */
  readonly isAny: boolean
  readonly numbers: ReadonlySet<number>
  /** `L` is 0, `L-3` is 3. */
  readonly beforeLast: ReadonlySet<number>
  /** `15W` is 15. */
  readonly nearestWeekdays: ReadonlySet<number>
  /** `LW` */
  readonly lastWeekday: boolean
}

/** Rules for weekdays, Sunday is 0. */
export interface Weekdays {
  /** As `Days.isAny`. */
  readonly isAny: boolean
  readonly numbers: ReadonlySet<number>
  /** `5L` is 5. */
  readonly last: ReadonlySet<number>
  /** `5#3` is [5, 3]. */
  readonly nth: ReadonlyArray<readonly [weekday: number, occurrence: number]>
}

export const maxLength = 1024

const nicknames = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"]
])

/** The fields, or one sentence that says what is wrong, in which field, and what would be valid. */
export const parse = (expression: string): Either.Either<CronFields, string> =>
  Either.gen(function*() {
    const words = yield* splitFields(expression)
    const [seconds, minutes, hours, days, months, weekdays] = words
    return {
      seconds: yield* readNumbers(second, seconds),
      minutes: yield* readNumbers(minute, minutes),
      hours: yield* readNumbers(hour, hours),
      months: yield* readNumbers(month, months),
      days: yield* readDays(days),
      weekdays: yield* readWeekdays(weekdays),
      isElapsed: /[*/]/.test(minutes) || /[*/]/.test(hours)
    }
  })

type Words = readonly [string, string, string, string, string, string]

const splitFields = (expression: string): Either.Either<Words, string> => {
  if (expression.length > maxLength) {
    return Either.left(`The expression has ${expression.length} characters; at most ${maxLength} are allowed.`)
  }
  const text = expression.trim()
  const nickname = nicknames.get(text.toLowerCase())
  if (nickname === undefined && text.startsWith("@")) return Either.left(explainNickname(text.toLowerCase()))
  const words = (nickname ?? text).split(/\s+/)
  const [a, b, c, d, e, f] = words.length === 5 ? ["0", ...words] : words
  const isComplete = words.length === 5 || words.length === 6
  return isComplete && a && b && c && d && e && f ? Either.right([a, b, c, d, e, f]) : Either.left(explainCount(words))
}

const explainNickname = (text: string): string => {
  if (text === "@reboot") {
    return "@reboot names no time, and svc does not know when a machine starts. Valid are for example @hourly or @daily."
  }
  if (text.startsWith("@every")) {
    return "@every is not a cron expression. Create a schedule of the kind interval, such as 300, 5m or PT5M."
  }
  return `${quote(text)} is not a known nickname. Valid are ${[...nicknames.keys()].join(" ")}.`
}

const explainCount = (words: ReadonlyArray<string>): string => {
  const count = words.filter((word) => word !== "").length
  const year = count === 7 ? " A field for the year is not supported." : ""
  return `The expression has ${count} ${
    count === 1 ? "field" : "fields"
  }; it needs 5 (minute hour day-of-month month ` +
    `day-of-week) or 6 with seconds first.${year} Valid is for example 30 9 * * MON-FRI.`
}

/** The items of a list. An empty item is a typing error: `1,,2`. */
const splitItems = (kind: FieldKind, text: string): Either.Either<ReadonlyArray<string>, string> => {
  const items = text.split(",")
  return items.includes("") ? refuse(kind, `${quote(text)} has an empty item`) : Either.right(items)
}

const readNumbers = (kind: FieldKind, text: string): Either.Either<ReadonlySet<number>, string> =>
  Either.gen(function*() {
    const numbers = new Set<number>()
    for (const item of yield* splitItems(kind, text)) {
      for (const value of yield* readItem(kind, item)) numbers.add(value)
    }
    return numbers
  })

const isAnyDay = (text: string): boolean => text === "?" || text.split(",").includes("*")

const readDays = (text: string): Either.Either<Days, string> =>
  Either.gen(function*() {
    const numbers = new Set<number>()
    const beforeLast = new Set<number>()
    const nearestWeekdays = new Set<number>()
    let lastWeekday = false
    for (const item of yield* splitItems(dayOfMonth, text === "?" ? "*" : text)) {
      if (/^L$/i.test(item)) beforeLast.add(0)
      else if (/^LW$/i.test(item)) lastWeekday = true
      else if (/^L-\d+$/i.test(item)) beforeLast.add(yield* readBeforeLast(item.slice(2)))
      else if (/^\d+W$/i.test(item)) nearestWeekdays.add(yield* readValue(dayOfMonth, item.slice(0, -1)))
      else for (const value of yield* readItem(dayOfMonth, item)) numbers.add(value)
    }
    return { isAny: isAnyDay(text), numbers, beforeLast, nearestWeekdays, lastWeekday }
  })

const readBeforeLast = (text: string): Either.Either<number, string> =>
  text.length <= 2 && Number(text) >= 1 && Number(text) <= 30
    ? Either.right(Number(text))
    : refuse(dayOfMonth, `${quote(`L-${text}`)} does not count 1 to 30 days back from the last day`)

const readWeekdays = (text: string): Either.Either<Weekdays, string> =>
  Either.gen(function*() {
    const numbers = new Set<number>()
    const last = new Set<number>()
    const nth: Array<readonly [number, number]> = []
    for (const item of yield* splitItems(dayOfWeek, text === "?" ? "*" : text)) {
      const hash = item.indexOf("#")
      if (/^L$/i.test(item)) return yield* refuse(dayOfWeek, "\"L\" lacks its weekday")
      if (hash >= 0) {
        const occurrence = item.slice(hash + 1)
        const weekday = (yield* readValue(dayOfWeek, item.slice(0, hash))) % 7
        if (!/^[1-5]$/.test(occurrence)) return yield* refuse(dayOfWeek, `${quote(item)} needs 1 to 5 after #`)
        nth.push([weekday, Number(occurrence)])
      } else if (/L$/i.test(item)) last.add((yield* readValue(dayOfWeek, item.slice(0, -1))) % 7)
      else for (const value of yield* readItem(dayOfWeek, item)) numbers.add(value % 7)
    }
    return { isAny: isAnyDay(text), numbers, last, nth }
  })
