/** Reads one field of a cron expression: `*`, numbers, names, ranges, steps and lists of these. */
import * as Either from "effect/Either"

/** What a field may contain. `names` begin at `min`. */
export interface FieldKind {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names: ReadonlyArray<string>
  /** Three values that are valid, for messages. */
  readonly examples: string
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]

export const second: FieldKind = { name: "second", min: 0, max: 59, names: [], examples: "0, 10-20 or */15" }
export const minute: FieldKind = { name: "minute", min: 0, max: 59, names: [], examples: "0, 10-20 or */15" }
export const hour: FieldKind = { name: "hour", min: 0, max: 23, names: [], examples: "9, 9-17 or */2" }
export const dayOfMonth: FieldKind = {
  name: "day-of-month",
  min: 1,
  max: 31,
  names: [],
  examples: "1, 1-15, L (the last day), L-2, 15W (the weekday nearest to 15) or LW"
}
export const month: FieldKind = { name: "month", min: 1, max: 12, names: months, examples: "1, JAN, JAN-MAR or */3" }
/** 7 is Sunday, as 0. */
export const dayOfWeek: FieldKind = {
  name: "day-of-week",
  min: 0,
  max: 7,
  names: weekdays,
  examples: "0 to 7 (Sunday is 0 and 7), MON-FRI, 5L (the last Friday) or MON#1 (the first Monday)"
}

/** A text from the caller as messages show it, at most 40 characters of it. */
export const quote = (text: string): string =>
  JSON.stringify((text.length > 40 ? `${text.slice(0, 40)}…` : text).toWellFormed())

/** One sentence that names the field, what is wrong with it, and what would be valid. */
export const refuse = (kind: FieldKind, problem: string): Either.Either<never, string> =>
  Either.left(`${kind.name}: ${problem}. Valid are for example ${kind.examples}.`)

/** The number of a value or of its name, in either case. */
export const readValue = (kind: FieldKind, text: string): Either.Either<number, string> => {
  const named = kind.names.indexOf(text.toUpperCase())
  if (named >= 0) return Either.right(kind.min + named)
  if (!/^\d{1,9}$/.test(text)) {
    const names = kind.names.length === 0 ? "" : ` or one of ${kind.names.join(" ")}`
    return refuse(kind, `${quote(text)} is not a number from ${kind.min} to ${kind.max}${names}`)
  }
  const value = Number(text)
  return value >= kind.min && value <= kind.max
    ? Either.right(value)
    : refuse(kind, `${value} is outside ${kind.min} to ${kind.max}`)
}

/**
 * The values of one item of a list: `*`, `7`, `1-5`, with `/2` behind. A range may wrap around: `22-2` is 22, 23, 0, 1,
 * 2. `5/10` begins at 5 and goes to the end.
 */
export const readItem = (kind: FieldKind, text: string): Either.Either<ReadonlyArray<number>, string> =>
  Either.gen(function*() {
    const [base = "", step, ...rest] = text.split("/")
    if (rest.length > 0) return yield* refuse(kind, `${quote(text)} has more than one step`)
    const [first = "", last, ...others] = base.split("-")
    if (others.length > 0) return yield* refuse(kind, `${quote(text)} is not a range`)
    const largest = kind === dayOfWeek ? 6 : kind.max
    const by = step === undefined ? 1 : yield* readStep(kind, step, largest - kind.min)
    if (base === "*") return stepThrough(kind.min, largest, by)
    const from = yield* readValue(kind, first)
    if (last !== undefined) return stepThrough(from, yield* readEnd(kind, from, last), by, kind)
    return step === undefined ? [from] : stepThrough(from, Math.max(largest, from), by)
  })

const readStep = (kind: FieldKind, text: string, most: number): Either.Either<number, string> => {
  const step = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (step >= 1 && step <= most) return Either.right(step)
  const reason = step > most ? ", because a step begins again with each round of the field" : ""
  return refuse(kind, `the step ${quote(text)} is not a number from 1 to ${most}${reason}`)
}

/** The end of a range from `from`, one round later if it wraps around. */
const readEnd = (kind: FieldKind, from: number, text: string): Either.Either<number, string> =>
  Either.map(readValue(kind, text), (to) => (to >= from ? to : to + sizeOf(kind)))

const sizeOf = (kind: FieldKind): number => (kind === dayOfWeek ? 7 : kind.max - kind.min + 1)

const stepThrough = (from: number, to: number, by: number, wrapsIn?: FieldKind): ReadonlyArray<number> => {
  const values: Array<number> = []
  for (let value = from; value <= to; value += by) {
    values.push(wrapsIn !== undefined && value > wrapsIn.max ? value - sizeOf(wrapsIn) : value)
  }
  return values
}
