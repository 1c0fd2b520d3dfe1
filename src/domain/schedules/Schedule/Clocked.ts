/** Reads the one instant of a clocked schedule: an ISO date-time, with its offset or in the schedule's time zone. */
import * as Either from "effect/Either"
import { parse as parseTimestamp, secondsPerDay } from "../../kernel/Timestamp.ts"
import type { Zone } from "../../kernel/Zone.ts"
import { quote } from "./CronField.ts"
import { endSecond, firstSecond, firstYear, lastYear, roundUp } from "./Seconds.ts"
import { fixedTimes, makeTicks, type Ticks } from "./Ticks.ts"

const examples =
  "Valid are for example 2026-12-24T18:00:00Z, 2026-12-24T18:00:00+01:00 or, in the schedule's time zone, " +
  "2026-12-24T18:00."

/** Fractions of a second are rounded up, so that no schedule fires early. */
export const parse = (expression: string, zone: Zone): Either.Either<Ticks, string> => {
  const text = expression.trim()
  const local = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?$/.exec(text)
  const timestamp = parseTimestamp(local === null ? text : `${local[1]}${local[2] ?? ":00"}Z`)
  if (timestamp === undefined) return Either.left(`${quote(expression)} is not an ISO date and time. ${examples}`)
  const second = roundUp(timestamp)
  if (second < firstSecond || second >= endSecond - secondsPerDay) {
    return Either.left(`The year must be ${firstYear} to ${lastYear}. ${examples}`)
  }
  const ticks = local === null ? makeInstantTicks(second) : makeWallTimeTicks(second, zone)
  return ticks.next(firstSecond - secondsPerDay) === null
    ? Either.left(`${quote(expression)} does not exist in the schedule's time zone. ${examples}`)
    : Either.right(ticks)
}

const makeInstantTicks = (at: number): Ticks => ({
  next: (after) => (after < at ? at : null),
  previous: (before) => (before > at ? at : null),
  explain: () => null
})

/** The tick at a single wall time, with the rule for fixed times: at the first of two, at the end of a gap. */
const makeWallTimeTicks = (wall: number, zone: Zone): Ticks =>
  makeTicks(
    {
      firstFrom: (from) => (from <= wall ? wall : null),
      lastBefore: (before) => (before > wall ? wall : null)
    },
    zone,
    fixedTimes
  )
