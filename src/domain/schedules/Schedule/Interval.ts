/** Reads the length of an interval: `30.0` or `300` (seconds), `5m`, `1h30m`, `PT5M`, `P1DT12H`. */
import * as Either from "effect/Either"
import { secondsPerDay } from "../../kernel/Timestamp.ts"
import { quote } from "./CronField.ts"

const secondsOf: Readonly<Record<string, number>> = { W: 7 * secondsPerDay, D: secondsPerDay, H: 3600, M: 60, S: 1 }

const maxDays = 3650
const maxLength = 40
const examples = "Valid are for example 30 (seconds), 30.0, 5m, 1h30m or PT5M."

/** Whole seconds, 1 to 3 650 days; or one sentence that says what is wrong and what would be valid. */
export const parse = (expression: string): Either.Either<number, string> => {
  const text = expression.trim().toUpperCase()
  const seconds = text.length > maxLength ? undefined : readSeconds(text)
  if (seconds === undefined) return Either.left(`${quote(expression)} is not the length of an interval. ${examples}`)
  if (!Number.isInteger(seconds)) return Either.left(`An interval is a whole number of seconds. ${examples}`)
  if (seconds < 1) return Either.left(`The shortest interval is 1 second. ${examples}`)
  if (seconds > maxDays * secondsPerDay) return Either.left(`The longest interval is ${maxDays} days. ${examples}`)
  return Either.right(seconds)
}

const readSeconds = (text: string): number | undefined => {
  if (/^\d+(\.\d*)?$/.test(text)) return Number(text)
  const iso = /^P(\d+W)?(\d+D)?(?:T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?$/.exec(text)
  const [, ...parts] = iso ?? /^(\d+W)?(\d+D)?(\d+H)?(\d+M)?(\d+S)?$/.exec(text) ?? []
  const presentParts = parts.filter((part) => part !== undefined)
  if (presentParts.length === 0) return undefined
  return presentParts.reduce((sum, part) => sum + Number(part.slice(0, -1)) * (secondsOf[part.slice(-1)] ?? 0), 0)
}

const units = [
  ["week", 7 * secondsPerDay],
  ["day", secondsPerDay],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1]
] as const

/** 5 400 seconds are 1 hour and 30 minutes. */
export const split = (
  seconds: number
): ReadonlyArray<{ readonly count: number; readonly unit: (typeof units)[number][0] }> => {
  let rest = seconds
  return units.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [{ count, unit }]
  })
}
