/** A schedule in words, for people. The words come from the values that match, so they say what fires. */
import * as Either from "effect/Either"
import type { Language } from "../../kernel/Language.ts"
import { type CronFields, type Days, parse, type Weekdays } from "./CronExpression.ts"
import * as Interval from "./Interval.ts"
import { type Unit, type Wording, wordings } from "./Summary/Wording.ts"

/**
 * `At 09:30, on Monday through Friday`, `Every 5 minutes`, `Once, at 2026-12-24T18:00`. Times are in the schedule's time
 * zone, which the words do not name. Null: the expression is not valid, or of a kind that only another scheduler knows.
 */
export const summarize = (
  { expression, kind }: { readonly expression: string; readonly kind: string },
  language: Language
): string | null => {
  const wording = wordings[language]
  const words = describe(wording, kind, expression.trim())
  return words === null ? null : words.charAt(0).toLocaleUpperCase(wording.locale) + words.slice(1)
}

const describe = (wording: Wording, kind: string, text: string): string | null => {
  switch (kind) {
    case "cron":
      return Either.getOrNull(Either.map(parse(text), (fields) => describeCron(wording, fields)))
    case "interval":
      return Either.getOrNull(Either.map(Interval.parse(text), (seconds) => describeInterval(wording, seconds)))
    case "clocked":
      return wording.once(text)
    default:
      return null
  }
}

const describeInterval = (wording: Wording, seconds: number): string => {
  const parts = Interval.split(seconds)
  const [first] = parts
  if (parts.length === 1 && first?.count === 1) return wording.everyOne[first.unit]
  return wording.every(
    join(wording, parts.map(({ count, unit }) => countUnit(wording, count, unit))),
    first?.unit ?? "second"
  )
}

const describeCron = (wording: Wording, fields: CronFields): string => {
  const days = describeDays(wording, fields.days)
  const weekdays = describeWeekdays(wording, fields.weekdays)
  const months = describeValues(wording, fields.months, (month) => nameMonth(wording, month))
  return [
    ...describeTimes(wording, fields),
    days !== "" && weekdays !== "" ? wording.either(days, weekdays) : days + weekdays,
    fields.months.size === 12 ? "" : wording.inMonths(months)
  ].filter((part) => part !== "").join(wording.comma)
}

/** Up to so many times of a day are listed one by one. */
const LISTED_TIMES = 4

const describeTimes = (
  wording: Wording,
  { days, hours, minutes, seconds, weekdays }: CronFields
): ReadonlyArray<string> => {
  const hasSeconds = seconds.size > 1 || !seconds.has(0)
  if (seconds.size * minutes.size * hours.size <= LISTED_TIMES) {
    const times = join(
      wording,
      sortNumbers(hours).flatMap((hour) =>
        sortNumbers(minutes).flatMap((minute) =>
          sortNumbers(seconds).map((second) => `${pad(hour)}:${pad(minute)}${hasSeconds ? `:${pad(second)}` : ""}`)
        )
      )
    )
    return [days.isAny && weekdays.isAny ? wording.atDaily(times) : wording.at(times)]
  }
  const isFullHour = minutes.size === 1 && minutes.has(0) && !hasSeconds
  const hourStep = evenStep(hours, 24)
  if (isFullHour && hourStep !== null) return [describeStep(wording, hourStep, "hour")]
  const isEveryMinute = minutes.size === 60
  const isSecondStep = hasSeconds && evenStep(seconds, 60) !== null
  const minute = isSecondStep && isEveryMinute ? "" : describeUnits(wording, minutes, "minute")
  const isOfEveryHour = hours.size === 24 && minute !== "" && evenStep(minutes, 60) === null
  return [
    hasSeconds ? describeUnits(wording, seconds, "second") : "",
    isOfEveryHour ? wording.ofEveryHour(minute) : minute,
    hours.size === 24 ? "" : describeHours(wording, hours)
  ]
}

const describeUnits = (wording: Wording, values: ReadonlySet<number>, unit: "second" | "minute"): string => {
  const step = evenStep(values, 60)
  return step !== null
    ? describeStep(wording, step, unit)
    : wording.atUnits(unit, describeValues(wording, values, String), values.size === 1)
}

const describeHours = (wording: Wording, hours: ReadonlySet<number>): string => {
  const values = sortNumbers(hours)
  const [first = 0, last = first] = [values[0], values.at(-1)]
  return last - first + 1 === hours.size
    ? wording.between(`${pad(first)}:00`, `${pad(last)}:59`)
    : wording.inHours(describeValues(wording, hours, String))
}

const describeDays = (wording: Wording, days: Days): string => {
  if (days.isAny) return ""
  const { numbers } = days
  const list = [
    ...(numbers.size === 0
      ? []
      : [wording.days(describeValues(wording, numbers, wording.showDay), numbers.size === 1)]),
    ...sortNumbers(days.nearestWeekdays).map((day) => wording.nearestWeekday(wording.showDay(day))),
    ...sortNumbers(days.beforeLast).toReversed().map((count) =>
      count === 0 ? wording.lastDay : wording.beforeLastDay(count)
    ),
    ...(days.lastWeekday ? [wording.lastWeekday] : [])
  ]
  return wording.onDays(join(wording, list))
}

const describeWeekdays = (wording: Wording, weekdays: Weekdays): string => {
  if (weekdays.isAny) return ""
  const nameOf = (weekday: number) => nameWeekday(wording, weekday)
  // Sunday is the last day of the week, so that the weekend is one run of days.
  const plain = new Set([...weekdays.numbers].map((weekday) => (weekday === 0 ? 7 : weekday)))
  const list = [
    ...(plain.size === 0 ? [] : [describeValues(wording, plain, nameOf)]),
    ...weekdays.nth.map(([weekday, nth]) => wording.nthWeekday(nameOf(weekday), nth)),
    ...[...weekdays.last].map((weekday) => wording.lastOf(nameOf(weekday)))
  ]
  return wording.onWeekdays(join(wording, list))
}

const sortNumbers = (values: ReadonlySet<number>): ReadonlyArray<number> => [...values].sort((a, b) => a - b)

const pad = (value: number): string => String(value).padStart(2, "0")

const describeStep = (wording: Wording, step: number, unit: Unit): string =>
  step === 1 ? wording.everyOne[unit] : wording.every(countUnit(wording, step, unit), unit)

/** The step of values that begin at 0 and continue evenly from one round of the field to the next, else null. */
const evenStep = (values: ReadonlySet<number>, round: number): number | null => {
  const step = round / values.size
  return Number.isInteger(step) && values.size > 1 &&
      sortNumbers(values).every((value, index) => value === index * step)
    ? step
    : null
}

/** `1, 3 and 5 through 9`, `0 through 56 in steps of 7`. */
const describeValues = (wording: Wording, values: ReadonlySet<number>, show: (value: number) => string): string => {
  const all = sortNumbers(values)
  const [first = 0, second = 0] = all
  const step = second - first
  if (all.length > 3 && step > 1 && all.every((value, index) => value === first + index * step)) {
    return wording.steps(wording.range(show(first), show(all.at(-1) ?? first)), step)
  }
  const runs: Array<Array<number>> = []
  for (const value of all) {
    const run = runs.at(-1)
    if (run !== undefined && run.at(-1) === value - 1) run.push(value)
    else runs.push([value])
  }
  return join(
    wording,
    runs.flatMap((run) => run.length > 2 ? [wording.range(show(run[0] ?? 0), show(run.at(-1) ?? 0))] : run.map(show))
  )
}

/** Formatters of `Intl` cost 50 µs each to create, and a list has 500 schedules: each is created once. */
const onceFor = <A>(create: (key: string) => A) => {
  const known = new Map<string, A>()
  return (key: string): A => {
    const value = known.get(key) ?? create(key)
    known.set(key, value)
    return value
  }
}
const lists = onceFor((locale) => new Intl.ListFormat(locale, { type: "conjunction" }))
const weekdayNames = onceFor((locale) => new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }))
const monthNames = onceFor((locale) => new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" }))

const join = ({ locale }: Wording, parts: ReadonlyArray<string>): string => lists(locale).format(parts)

/** Monday is 1 January 2024. */
const nameWeekday = ({ locale }: Wording, weekday: number): string =>
  weekdayNames(locale).format(Date.UTC(2024, 0, weekday === 0 ? 7 : weekday))

const nameMonth = ({ locale }: Wording, month: number): string =>
  monthNames(locale).format(Date.UTC(2024, month - 1, 1))

const counts = onceFor((key) => {
  const [locale, unit] = key.split(" ")
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: unit ?? "second",
    unitDisplay: "long",
    useGrouping: false
  })
})

/** `1 minute`, `5 Minuten`, `5分`. */
const countUnit = ({ locale }: Wording, count: number, unit: Unit): string =>
  counts(`${locale} ${unit}`).format(count).replaceAll(/\s/g, locale === "ja" ? "" : " ")
