/**
 * A moment in UTC with microseconds, kept as text from the agent's wire through both databases to the API.
 *
 * A `Timestamp` is always `YYYY-MM-DDTHH:MM:SS.ffffffZ` (27 characters, years 0000 to 9999), so that comparing two
 * of them as strings compares the moments. A JavaScript `Date` and a driver's date type would lose the microseconds.
 */
import type * as Brand from "effect/Brand"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { dateOf, daysInMonth, daysOf } from "./Calendar.ts"

const MIN_EPOCH_SECONDS = -62_167_219_200 // 0000-01-01T00:00:00Z
const MAX_EPOCH_SECONDS = 253_402_300_799 // 9999-12-31T23:59:59Z
export const secondsPerDay = 86_400

/** The normal form described at the top of this file. */
export type Timestamp = string & Brand.Brand<"Timestamp">

const NormalForm = Schema.String.pipe(
  Schema.filter((text) => text.length === 27 && parse(text) === text),
  Schema.brand("Timestamp"),
  Schema.annotations({
    arbitrary: () => (fc) =>
      fc.tuple(fc.integer({ min: MIN_EPOCH_SECONDS, max: MAX_EPOCH_SECONDS }), fc.integer({ min: 0, max: 999_999 }))
        .map(([seconds, micros]) => format(seconds, micros))
  })
)

/**
 * Decodes any RFC 3339 date-time (offset required, at most nine fraction digits, truncated or padded to six) to the
 * normal form; encodes as it is. Fails for a date that does not exist, a leap second, or a year outside 0000 to 9999
 * after the offset is taken off.
 */
export const Timestamp = Schema.transformOrFail(
  Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
  NormalForm,
  {
    strict: true,
    decode: (text, _options, ast) => {
      const timestamp = parse(text)
      return timestamp === undefined
        ? ParseResult.fail(new ParseResult.Type(ast, text, "Expected an RFC 3339 date-time with an offset"))
        : ParseResult.succeed(timestamp)
    },
    encode: (timestamp) => ParseResult.succeed(timestamp)
  }
)

/** For sentences: "2026-10-04 08:30 UTC". */
export const formatMinute = (at: Timestamp): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

/** For sentences about what takes seconds: "2026-10-04 08:30:15 UTC". */
export const formatSecond = (at: Timestamp): string => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`

/** The earlier one is the smaller. */
export const order: Order.Order<Timestamp> = Order.string

/**
 * The current time of the fiber's clock. The monotonic clock supplies the microseconds. If it differs from the wall
 * clock by more than 10 ms (step, suspend), the wall clock is used, with millisecond precision.
 */
export const now: Effect.Effect<Timestamp> = Effect.map(Effect.clock, (clock) => readClock(clock))

const CLOCKS_AGREE_WITHIN_MICROS = 10_000

const readClock = (clock: Clock.Clock): Timestamp => {
  const wall = clock.unsafeCurrentTimeMillis() * 1000
  const fine = Number(clock.unsafeCurrentTimeNanos() / 1000n)
  return fromEpochMicros(Math.abs(fine - wall) <= CLOCKS_AGREE_WITHIN_MICROS ? fine : wall)
}

/** From whole microseconds since 1970 (negative before). Throws RangeError outside the years 0000 to 9999. */
export const fromEpochMicros = (micros: bigint | number): Timestamp => {
  if (typeof micros === "bigint") {
    const fraction = Number(((micros % 1_000_000n) + 1_000_000n) % 1_000_000n)
    return format(Number((micros - BigInt(fraction)) / 1_000_000n), fraction)
  }
  const seconds = Math.floor(micros / 1_000_000)
  return format(seconds, micros - seconds * 1_000_000)
}

/** From milliseconds since 1970, rounded to microseconds. Throws RangeError as `fromEpochMicros`. */
export const fromEpochMillis = (millis: number): Timestamp => fromEpochMicros(Math.round(millis * 1000))

/** Whole milliseconds since 1970, microseconds truncated. */
export const toEpochMillis = (timestamp: Timestamp): number => epochSeconds(timestamp) * 1000 + digits(timestamp, 20, 3)

/** Whole seconds since 1970, the fraction truncated. */
export const toEpochSeconds = (timestamp: Timestamp): number => epochSeconds(timestamp)

/** Moves by seconds (fractions to the microsecond, may be negative). Throws RangeError outside 0000 to 9999. */
export const addSeconds = (timestamp: Timestamp, seconds: number): Timestamp => {
  const whole = Math.floor(seconds)
  const micros = digits(timestamp, 20, 6) + Math.round((seconds - whole) * 1_000_000)
  const carry = Math.floor(micros / 1_000_000)
  return format(epochSeconds(timestamp) + whole + carry, micros - carry * 1_000_000)
}

/**
 * The normal form of an RFC 3339 date-time, or undefined: what the schema decodes, as plain code for hot paths.
 * Lower-case `t` and `z` and a space for the `T` are taken, as RFC 3339 section 5.6 allows.
 */
export const parse = (text: string): Timestamp | undefined => {
  if (text.length < 20 || text.length > 35 || !isDateTime(text)) return undefined
  let end = 19
  if (text.charCodeAt(19) === 46) { // .
    end = 20
    while (isDigit(text.charCodeAt(end))) end++
    if (end === 20 || end > 29) return undefined
  }
  const offset = offsetSeconds(text, end)
  if (offset === undefined) return undefined
  // The casts: isDateTime and offsetSeconds have checked all that the brand promises. First the form agents write.
  if (offset === 0 && end === 26 && text.charCodeAt(10) === 84) return `${text.slice(0, 26)}Z` as Timestamp
  const fraction = text.slice(20, end).padEnd(6, "0").slice(0, 6)
  if (offset === 0) return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z` as Timestamp
  const seconds = epochSeconds(text) - offset
  return seconds < MIN_EPOCH_SECONDS || seconds > MAX_EPOCH_SECONDS ? undefined : format(seconds, Number(fraction))
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** The number written in `count` digits from `index` on, or -1. */
const digits = (text: string, index: number, count: number): number => {
  let value = 0
  for (let i = index; i < index + count; i++) {
    const code = text.charCodeAt(i)
    if (!isDigit(code)) return -1
    value = value * 10 + code - 48
  }
  return value
}

/** Whether the first 19 characters are a date and a time that exist. */
const isDateTime = (text: string): boolean => {
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 2)
  const day = digits(text, 8, 2)
  const hour = digits(text, 11, 2)
  const minute = digits(text, 14, 2)
  const second = digits(text, 17, 2)
  const separator = text.charCodeAt(10)
  return year >= 0 && month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysInMonth(year, month)) &&
    hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59 &&
    text.charCodeAt(4) === 45 && text.charCodeAt(7) === 45 && // -
    (separator === 84 || separator === 116 || separator === 32) && // T t space
    text.charCodeAt(13) === 58 && text.charCodeAt(16) === 58 // :
}

/** Seconds east of UTC of the offset that fills the text from `index` to its end, or undefined. */
const offsetSeconds = (text: string, index: number): number | undefined => {
  const sign = text.charCodeAt(index)
  if (sign === 90 || sign === 122) return text.length === index + 1 ? 0 : undefined // Z z
  if ((sign !== 43 && sign !== 45) || text.length !== index + 6 || text.charCodeAt(index + 3) !== 58) return undefined
  const hours = digits(text, index + 1, 2)
  const minutes = digits(text, index + 4, 2)
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return undefined
  const seconds = hours * 3600 + minutes * 60
  return sign === 45 && seconds !== 0 ? -seconds : seconds
}

// Successive moments are mostly of one minute, and the date is most of the work: the ingest asks for several of each task.
let knownMinute = "none"
let knownMinuteSeconds = 0

/** Seconds since 1970 of the first 19 characters, taken as UTC. */
const epochSeconds = (text: string): number => {
  if (!text.startsWith(knownMinute)) {
    knownMinute = text.slice(0, 16)
    knownMinuteSeconds = daysOf(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)) * secondsPerDay +
      digits(text, 11, 2) * 3600 + digits(text, 14, 2) * 60
  }
  return knownMinuteSeconds + digits(text, 17, 2)
}

const format = (seconds: number, micros: number): Timestamp => {
  if (!(seconds >= MIN_EPOCH_SECONDS && seconds <= MAX_EPOCH_SECONDS)) {
    throw new RangeError("a Timestamp lies within the years 0000 to 9999")
  }
  const days = Math.floor(seconds / secondsPerDay)
  const time = seconds - days * secondsPerDay
  const clock = `${pad(Math.floor(time / 3600), 2)}:${pad(Math.floor(time / 60) % 60, 2)}:${pad(time % 60, 2)}`
  // The cast: built to the form that the brand promises.
  return `${formatDate(days)}T${clock}.${pad(micros, 6)}Z` as Timestamp
}

const formatDate = (days: number): string => {
  const { day, month, year } = dateOf(days)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

const pad = (value: number, width: number): string => String(value).padStart(width, "0")

/** Negative where `to` is before `from`. */
export const secondsBetween = (from: Timestamp, to: Timestamp): number =>
  (toEpochMillis(to) - toEpochMillis(from)) / 1000
