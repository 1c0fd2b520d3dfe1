/**
 * Random cron expressions with what they mean, written down beside them: the oracle never reads an expression. The
 * meanings of days are plain searches over the month, unlike those in `src`.
 */

export interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

export interface Expression {
  readonly text: string
  readonly hasSeconds: boolean
  readonly isElapsed: boolean
  readonly matches: (wall: WallTime) => boolean
}

export type Random = (below: number) => number

/** Numbers from 0 below the argument, the same for the same seed (mulberry32). */
export const seeded = (seed: number): Random => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296 * below)
  }
}

interface Field {
  readonly text: string
  readonly has: (value: number) => boolean
  readonly isAny?: boolean
}

const anyValue: Field = { text: "*", has: () => true, isAny: true }

const one = (value: number): Field => ({ text: String(value), has: (other) => other === value })

const listOf = (fields: ReadonlyArray<Field>): Field => ({
  text: fields.map(({ text }) => text).join(","),
  has: (value) => fields.some(({ has }) => has(value))
})

/** A single value, a list, a range (sometimes one that wraps around), a step, or any. */
const timeField = (random: Random, max: number): Field => {
  const value = () => random(max + 1)
  const [from, to, step] = [value(), value(), 1 + random(max)]
  switch (random(9)) {
    case 0:
    case 1:
      return one(from)
    case 2:
      return listOf([one(from), one(to), one(value())])
    case 3:
      return { text: `${from}-${to}`, has: (at) => (from <= to ? at >= from && at <= to : at >= from || at <= to) }
    case 4:
      return { text: `*/${step}`, has: (at) => at % step === 0 }
    case 5:
      return { text: `${from}/${step}`, has: (at) => at >= from && (at - from) % step === 0 }
    case 6:
      return from <= to
        ? { text: `${from}-${to}/${step}`, has: (at) => at >= from && at <= to && (at - from) % step === 0 }
        : one(to)
    case 7:
      return listOf([one(value()), { text: `0-${from}`, has: (at) => at <= from }])
    default:
      return anyValue
  }
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]

const monthField = (random: Random): Field => {
  const from = 1 + random(12)
  switch (random(8)) {
    case 0:
      return { text: `${from}-12`, has: (month) => month >= from }
    case 1:
      return { text: `JAN-${months[from - 1]}`, has: (month) => month <= from }
    case 2:
      return { text: "*/2", has: (month) => month % 2 === 1 }
    case 3:
      return { text: "oct,3,NOV,4,9", has: (month) => [3, 4, 9, 10, 11].includes(month) }
    default:
      return anyValue
  }
}

interface DayField {
  readonly text: string
  readonly has: (date: Date) => boolean
  readonly isAny?: boolean
}

const isWorkday = (date: Date): boolean => date.getUTCDay() >= 1 && date.getUTCDay() <= 5
const lastDay = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
const inMonth = (date: Date, day: number): Date => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day))

const dayField = (random: Random): DayField => {
  const day = 1 + random(28)
  switch (random(12)) {
    case 0:
    case 1:
      return { text: `${day}`, has: (date) => date.getUTCDate() === day }
    case 2:
      return { text: `${day},${day + 2}-31`, has: (date) => date.getUTCDate() === day || date.getUTCDate() >= day + 2 }
    case 3:
      return { text: "L", has: (date) => date.getUTCDate() === lastDay(date) }
    case 4:
      return { text: "L-3,7", has: (date) => [7, lastDay(date) - 3].includes(date.getUTCDate()) }
    case 5:
      return { text: "*/2", has: (date) => date.getUTCDate() % 2 === 1 }
    case 6: // the nearest workday is the first one found at a growing distance, the earlier day first
      return {
        text: `${day}W`,
        has: (date) => {
          const wanted = [0, -1, 1, -2, 2].map((distance) => day + distance)
            .filter((other) => other >= 1 && other <= lastDay(date)).find((other) => isWorkday(inMonth(date, other)))
          return date.getUTCDate() === wanted
        }
      }
    case 7:
      return {
        text: "LW",
        has: (date) => {
          let last = lastDay(date)
          while (!isWorkday(inMonth(date, last))) last--
          return date.getUTCDate() === last
        }
      }
    case 8:
      return { text: "?", has: () => true, isAny: true }
    default:
      return { text: "*", has: () => true, isAny: true }
  }
}

const weekdayField = (random: Random): DayField => {
  const weekday = random(7)
  const nth = 1 + random(5)
  switch (random(12)) {
    case 0:
      return { text: String(weekday === 0 ? 7 : weekday), has: (date) => date.getUTCDay() === weekday }
    case 1:
      return { text: "mon-FRI", has: isWorkday }
    case 2:
      return { text: `${weekdays[weekday]},6-7`, has: (date) => [weekday, 0, 6].includes(date.getUTCDay()) }
    case 3:
      return {
        text: `${weekday}L`,
        has: (date) => date.getUTCDay() === weekday && date.getUTCDate() + 7 > lastDay(date)
      }
    case 4:
      return {
        text: `${weekdays[weekday]}#${nth}`,
        has: (date) => {
          const before = Array.from({ length: date.getUTCDate() }, (_, at) => inMonth(date, at + 1))
          return date.getUTCDay() === weekday && before.filter((other) => other.getUTCDay() === weekday).length === nth
        }
      }
    case 5:
      return { text: "SAT-SUN", has: (date) => !isWorkday(date) }
    default:
      return { text: "*", has: () => true, isAny: true }
  }
}

const nicknames: ReadonlyArray<readonly [string, boolean, (wall: WallTime) => boolean]> = [
  ["@hourly", true, ({ minute }) => minute === 0],
  ["@daily", false, ({ hour, minute }) => hour === 0 && minute === 0],
  [
    "@weekly",
    false,
    ({ day, hour, minute, month, year }) =>
      new Date(Date.UTC(year, month - 1, day)).getUTCDay() === 0 && hour === 0 && minute === 0
  ]
]

/** One in eight has seconds; hours are often those in which offsets change. */
export const randomExpression = (random: Random): Expression => {
  const nickname = nicknames[random(60)]
  if (nickname !== undefined) {
    const [text, isElapsed, matches] = nickname
    return { text, hasSeconds: false, isElapsed, matches: (wall) => wall.second === 0 && matches(wall) }
  }
  const hasSeconds = random(8) === 0
  const second = hasSeconds ? timeField(random, 59) : one(0)
  const minute = timeField(random, 59)
  const hour = random(3) === 0 ? listOf([one(random(5)), one(random(24))]) : timeField(random, 23)
  const [day, month, weekday] = [dayField(random), monthField(random), weekdayField(random)]
  const days = new Map<number, boolean>()
  const matchesDay = (wall: WallTime): boolean => {
    const at = Date.UTC(wall.year, wall.month - 1, wall.day)
    const known = days.get(at)
    if (known !== undefined) return known
    const date = new Date(at)
    const matches = day.isAny === true
      ? weekday.has(date)
      : weekday.isAny === true
      ? day.has(date)
      : day.has(date) || weekday.has(date)
    days.set(at, matches)
    return matches
  }
  return {
    text: [...(hasSeconds ? [second.text] : []), minute.text, hour.text, day.text, month.text, weekday.text].join(" "),
    hasSeconds,
    isElapsed: /[*/]/.test(`${minute.text} ${hour.text}`),
    matches: (wall) =>
      minute.has(wall.minute) && hour.has(wall.hour) && second.has(wall.second) && month.has(wall.month) &&
      matchesDay(wall)
  }
}
