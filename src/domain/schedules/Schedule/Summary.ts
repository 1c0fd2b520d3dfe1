/** A schedule in words, for people. The words come from the values that match, so they say what fires. */
import * as Either from "effect/Either"
import { type CronFields, type Days, parse, type Weekdays } from "./CronExpression.ts"
import * as Interval from "./Interval.ts"

/**
 * `At 09:30, on Monday through Friday`, `Every 5 minutes`, `Once, at 2026-12-24T18:00`. Times are in the schedule's time
 * zone, which the words do not name. The text itself, if it is not valid.
 */
export const summarize = ({ expression, kind }: { readonly expression: string; readonly kind: string }): string => {
  const text = expression.trim()
  if (kind === "clocked") return `Once, at ${text}`
  if (kind === "interval") return Either.getOrElse(Either.map(Interval.parse(text), Interval.describe), () => text)
  return Either.getOrElse(Either.map(parse(text), describeCron), () => text)
}

const describeCron = (fields: CronFields): string => {
  const days = describeDays(fields.days)
  const weekdays = describeWeekdays(fields.weekdays)
  const words = [
    describeTimes(fields),
    days !== "" && weekdays !== "" ? `${days} or ${weekdays}` : days + weekdays,
    fields.months.size === 12 ? "" : `in ${describeValues(fields.months, (month) => monthNames[month - 1] ?? "")}`
  ].filter((part) => part !== "").join(", ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Up to so many times of a day are listed one by one. */
const LISTED_TIMES = 4

const describeTimes = ({ days, hours, minutes, seconds, weekdays }: CronFields): string => {
  const hasSeconds = seconds.size > 1 || !seconds.has(0)
  if (seconds.size * minutes.size * hours.size <= LISTED_TIMES) {
    const times = sortNumbers(hours).flatMap((hour) =>
      sortNumbers(minutes).flatMap((minute) =>
        sortNumbers(seconds).map((second) => `${pad(hour)}:${pad(minute)}${hasSeconds ? `:${pad(second)}` : ""}`)
      )
    )
    return `at ${join(times)}${days.isAny && weekdays.isAny ? " every day" : ""}`
  }
  const isFullHour = minutes.size === 1 && minutes.has(0) && !hasSeconds
  const hourStep = evenStep(hours, 24)
  if (isFullHour && hourStep !== null) return every(hourStep, "hour")
  const second = !hasSeconds ? "" : describeUnit(seconds, "second")
  const minute = second.startsWith("every") && minutes.size === 60 ? "" : describeUnit(minutes, "minute")
  return [second, minute, describeHours(hours, minute)].filter((part) => part !== "").join(", ").replace(", of", " of")
}

const describeUnit = (values: ReadonlySet<number>, unit: string): string => {
  const step = evenStep(values, 60)
  return step !== null
    ? every(step, unit)
    : `at ${unit}${values.size === 1 ? "" : "s"} ${describeValues(values, String)}`
}

const describeHours = (hours: ReadonlySet<number>, minute: string): string => {
  const values = sortNumbers(hours)
  const [first = 0, last = first] = [values[0], values.at(-1)]
  if (hours.size === 24) return minute.startsWith("at") ? "of every hour" : ""
  if (last - first + 1 === hours.size) return `between ${pad(first)}:00 and ${pad(last)}:59`
  return `in the hours ${describeValues(hours, String)}`
}

const describeDays = (days: Days): string => {
  if (days.isAny) return ""
  const { numbers } = days
  const list = [
    ...(numbers.size === 0 ? [] : [`${numbers.size === 1 ? "day" : "days"} ${describeValues(numbers, String)}`]),
    ...sortNumbers(days.nearestWeekdays).map((day) => `the weekday nearest to day ${day}`),
    ...sortNumbers(days.beforeLast).toReversed().map((count) =>
      count === 0 ? "the last day" : `${count} ${count === 1 ? "day" : "days"} before the last day`
    ),
    ...(days.lastWeekday ? ["the last weekday (Monday to Friday)"] : [])
  ]
  return `on ${join(list)} of the month`
}

const describeWeekdays = (weekdays: Weekdays): string => {
  if (weekdays.isAny) return ""
  // Sunday is the last day of the week, so that the weekend is one run of days.
  const nameOf = (weekday: number) => weekdayNames[weekday % 7] ?? ""
  const plain = new Set([...weekdays.numbers].map((weekday) => (weekday === 0 ? 7 : weekday)))
  const list = [
    ...(plain.size === 0 ? [] : [describeValues(plain, nameOf)]),
    ...weekdays.nth.map(([weekday, nth]) => `the ${ordinals[nth - 1]} ${nameOf(weekday)} of the month`),
    ...[...weekdays.last].map((weekday) => `the last ${nameOf(weekday)} of the month`)
  ]
  return `on ${join(list)}`
}

const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]
const weekdayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const ordinals = ["first", "second", "third", "fourth", "fifth"]

const sortNumbers = (values: ReadonlySet<number>): ReadonlyArray<number> => [...values].sort((a, b) => a - b)

const pad = (value: number): string => String(value).padStart(2, "0")

const every = (step: number, unit: string): string => (step === 1 ? `every ${unit}` : `every ${step} ${unit}s`)

/** The step of values that begin at 0 and continue evenly from one round of the field to the next, else null. */
const evenStep = (values: ReadonlySet<number>, round: number): number | null => {
  const step = round / values.size
  return Number.isInteger(step) && values.size > 1 &&
      sortNumbers(values).every((value, index) => value === index * step)
    ? step
    : null
}

/** `1, 3 and 5 through 9`, `0 through 56 in steps of 7`. */
const describeValues = (values: ReadonlySet<number>, show: (value: number) => string): string => {
  const all = sortNumbers(values)
  const [first = 0, second = 0] = all
  const step = second - first
  if (all.length > 3 && step > 1 && all.every((value, index) => value === first + index * step)) {
    return `${show(first)} through ${show(all.at(-1) ?? first)} in steps of ${step}`
  }
  const runs: Array<Array<number>> = []
  for (const value of all) {
    const run = runs.at(-1)
    if (run !== undefined && run.at(-1) === value - 1) run.push(value)
    else runs.push([value])
  }
  return join(
    runs.flatMap((run) => run.length > 2 ? [`${show(run[0] ?? 0)} through ${show(run.at(-1) ?? 0)}`] : run.map(show))
  )
}

const join = (parts: ReadonlyArray<string>): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`
