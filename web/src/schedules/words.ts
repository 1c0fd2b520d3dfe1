import type { Texts } from "../i18n/en.ts"

/** The parts of a sentence about a cadence, and how a language names numbers, days and months. */
export interface Wording {
  readonly texts: Texts["schedules"]["words"]
  readonly language: string
}

const monthNames = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
const weekdayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]

const nicknames: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *"
}

const readNumber = (text: string, names: ReadonlyArray<string>, firstName: number): number => {
  const named = names.indexOf(text.toUpperCase())
  if (named >= 0) return named + firstName
  return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
}

/** Both 0 and 7 are Sunday. */
const lastWeekday = 7

interface Field {
  readonly min: number
  readonly max: number
  readonly names?: ReadonlyArray<string>
}

/** The values that match, ascending; null where the field has a form that these words do not cover, such as `15W`. */
const readField = (text: string, { max, min, names = [] }: Field): ReadonlyArray<number> | null => {
  const values = new Set<number>()
  for (const item of text.split(",")) {
    const [range = "", stepText] = item.split("/")
    const step = stepText === undefined ? 1 : Number(stepText)
    const [fromText = "", toText] = range.split("-")
    const isAll = range === "*"
    const from = isAll ? min : readNumber(fromText, names, min)
    const to = isAll || (toText === undefined && stepText !== undefined)
      ? max
      : readNumber(toText ?? fromText, names, min)
    if (![from, to, step].every(Number.isInteger) || step < 1) return null
    if (from < min || from > max || to < min || to > max) return null
    if (max === lastWeekday && to < from && step > 1) return null // a round of 7 days, with 8 numbers
    const length = to >= from ? to - from : to - from + (max - min + 1)
    for (let offset = 0; offset <= length; offset += step) values.add(min + ((from - min + offset) % (max - min + 1)))
  }
  return [...values].sort((a, b) => a - b)
}

const pad = (value: number) => String(value).padStart(2, "0")

/** The step of values that begin at 0 and go on evenly into the next round of the field; null for all others. */
const evenStep = (values: ReadonlyArray<number>, round: number): number | null => {
  const step = round / values.length
  return Number.isInteger(step) && values.length > 1 && values.every((value, index) => value === index * step)
    ? step
    : null
}

const joinList = ({ language }: Wording, items: ReadonlyArray<string>) =>
  new Intl.ListFormat(language, { type: "conjunction" }).format(items)

/** `1, 3 and 5 to 9`: three and more in a row are a range. */
const listValues = (wording: Wording, values: ReadonlyArray<number>, show: (value: number) => string): string => {
  const runs: Array<Array<number>> = []
  for (const value of values) {
    const run = runs.at(-1)
    if (run !== undefined && run.at(-1) === value - 1) run.push(value)
    else runs.push([value])
  }
  return joinList(
    wording,
    runs.flatMap((run) =>
      run.length > 2 ? [wording.texts.range(show(run[0] ?? 0), show(run.at(-1) ?? 0))] : run.map(show)
    )
  )
}

/** Up to so many times of a day are listed one by one. */
const maxListedTimes = 4

const describeTimes = (
  wording: Wording,
  minutes: ReadonlyArray<number>,
  hours: ReadonlyArray<number>,
  isDaily: boolean
): ReadonlyArray<string> => {
  const { texts } = wording
  if (minutes.length * hours.length <= maxListedTimes) {
    const times = joinList(wording, hours.flatMap((hour) => minutes.map((minute) => `${pad(hour)}:${pad(minute)}`)))
    return [isDaily ? texts.atDaily(times) : texts.at(times)]
  }
  const hourStep = evenStep(hours, 24)
  if (minutes.length === 1 && minutes[0] === 0 && hourStep !== null) {
    return [hourStep === 1 ? texts.everyHour : texts.everyHours(String(hourStep))]
  }
  const minuteStep = evenStep(minutes, 60)
  const minute = minuteStep === 1
    ? texts.everyMinute
    : minuteStep !== null
    ? texts.everyMinutes(String(minuteStep))
    : texts.atMinutes(listValues(wording, minutes, String))
  if (hours.length === 24) return [minuteStep === null ? texts.ofEveryHour(minute) : minute]
  const [first = 0] = hours
  const last = hours.at(-1) ?? first
  return [
    minute,
    last - first + 1 === hours.length
      ? texts.betweenHours(`${pad(first)}:00`, `${pad(last)}:59`)
      : texts.inHours(listValues(wording, hours, String))
  ]
}

/** Monday is 1 January 2024. */
const nameWeekday = ({ language }: Wording, weekday: number) =>
  new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" }).format(Date.UTC(2024, 0, weekday))

const nameMonth = ({ language }: Wording, month: number) =>
  new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" }).format(Date.UTC(2024, month - 1, 1))

const describeDays = (wording: Wording, text: string): string | null => {
  if (/^L$/i.test(text)) return wording.texts.lastDay
  const days = readField(text, { min: 1, max: 31 })
  return days === null ? null : wording.texts.onDays(listValues(wording, days, String))
}

const describeWeekdays = (wording: Wording, text: string): string | null => {
  const weekdays = readField(text, { min: 0, max: lastWeekday, names: weekdayNames })
  if (weekdays === null) return null
  // as a list of 1 to 7, Saturday and Sunday are one run
  const fromMonday = [...new Set(weekdays.map((weekday) => (weekday === 0 ? lastWeekday : weekday)))]
    .sort((a, b) => a - b)
  return wording.texts.onWeekdays(listValues(wording, fromMonday, (weekday) => nameWeekday(wording, weekday)))
}

const isAny = (text: string) => text === "*" || text === "?"

const describeCron = (wording: Wording, expression: string): string | null => {
  const { texts } = wording
  const parts = (nicknames[expression.toLowerCase()] ?? expression).split(/[ \t]+/)
  const [seconds = "0", minute = "", hour = "", day = "", month = "", weekday = ""] = parts.length === 5
    ? ["0", ...parts]
    : parts
  const minutes = readField(minute, { min: 0, max: 59 })
  const hours = readField(hour, { min: 0, max: 23 })
  const months = readField(month, { min: 1, max: 12, names: monthNames })
  const secondValues = readField(seconds, { min: 0, max: 59 })
  if (parts.length < 5 || parts.length > 6) return null
  if (minutes === null || hours === null || months === null || secondValues === null) return null

  const dayWords = isAny(day) ? undefined : describeDays(wording, day)
  const weekdayWords = isAny(weekday) ? undefined : describeWeekdays(wording, weekday)
  if (dayWords === null || weekdayWords === null) return null
  const dates = dayWords !== undefined && weekdayWords !== undefined
    ? texts.either(dayWords, weekdayWords)
    : dayWords ?? weekdayWords

  const secondStep = evenStep(secondValues, 60)
  const isFullMinute = secondValues.length === 1 && secondValues[0] === 0
  if (!isFullMinute && (secondStep === null || minutes.length < 60 || hours.length < 24)) return null
  const times = isFullMinute
    ? describeTimes(wording, minutes, hours, dates === undefined && months.length === 12)
    : [secondStep === 1 ? texts.everySecond : texts.everySeconds(String(secondStep))]
  return [
    ...times,
    ...(dates === undefined ? [] : [dates]),
    ...(months.length === 12 ? [] : [texts.inMonths(listValues(wording, months, (value) => nameMonth(wording, value)))])
  ].join(texts.comma)
}

const units = [
  { letter: "w", seconds: 604_800, one: "everyWeek", many: "everyWeeks" },
  { letter: "d", seconds: 86_400, one: "everyDay", many: "everyDays" },
  { letter: "h", seconds: 3_600, one: "everyHour", many: "everyHours" },
  { letter: "m", seconds: 60, one: "everyMinute", many: "everyMinutes" },
  { letter: "s", seconds: 1, one: "everySecond", many: "everySeconds" }
] as const

/** The seconds of `30`, `30.0`, `1h30m` and `PT5M`; null for anything else. */
export const readInterval = (expression: string): number | null => {
  const text = expression.trim().toLowerCase()
  if (/^\d+(\.0+)?$/.test(text)) return Number.parseInt(text, 10) || null
  if (/^p[^t]*m/.test(text)) return null // months have no fixed length
  const match = /^p?(?:(\d+)w)?(?:(\d+)d)?t?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text)
  if (match === null) return null
  const seconds = units.reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * unit.seconds, 0)
  return seconds > 0 ? seconds : null
}

const describeInterval = ({ texts }: Wording, expression: string): string | null => {
  const seconds = readInterval(expression)
  if (seconds === null) return null
  const even = units.find((unit) => seconds % unit.seconds === 0)
  if (even === undefined) return null
  const count = seconds / even.seconds
  if (even.letter === "s" || even.letter === "m" ? count < 120 : true) {
    return count === 1 ? texts[even.one] : texts[even.many](String(count))
  }
  let rest = seconds
  const parts = units.flatMap((unit) => {
    const whole = Math.floor(rest / unit.seconds)
    rest -= whole * unit.seconds
    return whole === 0 ? [] : [`${whole}${unit.letter}`]
  })
  return texts.everyLength(parts.join(" "))
}

/**
 * The cadence as a sentence in the person's language; null where it has a form that only the API puts in words
 * (`schedules:preview`, in English), such as `15W`, or that is not valid.
 */
export const describeCadence = (
  wording: Wording,
  { expression, kind }: { readonly kind: string; readonly expression: string }
): string | null => {
  const text = expression.trim()
  if (kind === "cron") return describeCron(wording, text)
  if (kind === "interval") return describeInterval(wording, text)
  return kind === "clocked" ? wording.texts.once(text) : null
}
