import type { Count } from "../i18n/plural.ts"
import { describeDuration } from "./duration.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
/** A moment that is further away is written with its year. */
const halfYear = 183 * day

const relativeUnits = [
  { millis: day, unit: "day" },
  { millis: hour, unit: "hour" },
  { millis: minute, unit: "minute" },
  { millis: second, unit: "second" }
] as const

export interface Format {
  readonly number: (value: number) => string
  /** For sentences that have a form for one and another for several. */
  readonly count: (value: number) => Count
  /** 1 234 567 as 1.2M. */
  readonly compact: (value: number) => string
  /** A share from 0 to 1. */
  readonly percent: (share: number) => string
  /** How much more, as a share, with its sign: +12 %. */
  readonly change: (share: number) => string
  /** "4.1 s", "1 h 30 min". */
  readonly duration: (millis: number) => string
  /** Seconds and more, such as "3 min. ago". */
  readonly relative: (time: number, now: number) => string
  readonly dateTime: (time: number) => string
  /** A planned moment, to the minute, or to the second where it has one; in a zone of its own where one is given. */
  readonly moment: (time: number, zone?: string) => string
  readonly clock: (time: number) => string
  /** With milliseconds. */
  readonly preciseClock: (time: number) => string
  /** A tick of a time axis: over days the date at midnight and the clock between. */
  readonly axis: (time: number, windowMillis: number) => string
  /** "a, b or c", or with "and". */
  readonly list: (items: ReadonlyArray<string>, kind: "and" | "or") => string
}

/** The writer of numbers and times of a language and zone; undefined is the zone of the browser. */
export const createFormat = (language: string, zone: string | undefined): Format => {
  const number = new Intl.NumberFormat(language)
  const compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 })
  const change = new Intl.NumberFormat(language, {
    style: "percent",
    maximumFractionDigits: 0,
    signDisplay: "exceptZero"
  })
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "narrow" })
  const zoned = zone === undefined ? {} : { timeZone: zone }
  const dateTime = new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    timeZoneName: "short",
    ...zoned
  })
  const moments = new Map<string, Intl.DateTimeFormat>()
  const momentFormat = (momentZone: string | undefined, hasSeconds: boolean, hasYear: boolean) => {
    const key = `${momentZone} ${hasSeconds} ${hasYear}`
    const known = moments.get(key) ?? new Intl.DateTimeFormat(language, {
      weekday: "short",
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      ...(hasYear && { year: "numeric" }),
      ...(hasSeconds && { second: "2-digit" }),
      timeZoneName: "short",
      ...(momentZone !== undefined && { timeZone: momentZone })
    })
    moments.set(key, known)
    return known
  }
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", ...zoned })
  const preciseClock = new Intl.DateTimeFormat(language, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    ...zoned
  })
  const hours = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", ...zoned })
  const days = new Intl.DateTimeFormat(language, { month: "short", day: "numeric", ...zoned })
  const midnight = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...zoned })
  const lists = {
    and: new Intl.ListFormat(language, { type: "conjunction" }),
    or: new Intl.ListFormat(language, { type: "disjunction" })
  }
  return {
    number: (value) => number.format(value),
    count: (value) => ({ value, text: number.format(value) }),
    compact: (value) => compact.format(value),
    percent: (share) => percent.format(share),
    change: (share) => change.format(share),
    duration: (millis) => describeDuration(millis, language, (value) => number.format(value)),
    relative: (time, now) => {
      const elapsed = time - now
      const { millis: size, unit } = relativeUnits.find((one) => Math.abs(elapsed) >= one.millis) ?? relativeUnits[3]
      return relative.format(Math.trunc(elapsed / size), unit)
    },
    dateTime: (time) => dateTime.format(time),
    moment: (time, momentZone = zone) =>
      momentFormat(momentZone, time % minute !== 0, Math.abs(time - Date.now()) > halfYear).format(time),
    clock: (time) => clock.format(time),
    preciseClock: (time) => preciseClock.format(time),
    axis: (time, windowMillis) =>
      (windowMillis > 2 * day && midnight.format(time) === "00:00" ? days : hours).format(time),
    list: (items, kind) => lists[kind].format(items)
  }
}
