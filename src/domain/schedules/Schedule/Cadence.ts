/**
 * When a schedule ticks. `compile` reads kind, expression and time zone once; the ticks are whole seconds in the years
 * 2000 to 2199. docs/schedules.md has the rules.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ValidationFailed } from "../../kernel/Errors.ts"
import { type Timestamp, toEpochSeconds } from "../../kernel/Timestamp.ts"
import { findZone, type Zone } from "../../kernel/Zone.ts"
import * as Clocked from "./Clocked.ts"
import * as CronExpression from "./CronExpression.ts"
import { quote } from "./CronField.ts"
import * as Interval from "./Interval.ts"
import { describeLocal, endSecond, firstSecond, fromSecond, roundUp } from "./Seconds.ts"
import { type Dst, elapsedTime, fixedTimes, makeTicks, type Ticks, type TransitionRule } from "./Ticks.ts"
import { everMatches, makeWallTimes } from "./WallTimes.ts"

/** The kinds that svc can fire. Other schedulers report more kinds, such as solar. */
export const ScheduleKind = Schema.Literal("cron", "interval", "clocked")
export type ScheduleKind = typeof ScheduleKind.Type
const isScheduleKind = Schema.is(ScheduleKind)

export interface Definition {
  readonly kind: string
  readonly expression: string
  /** A name of the IANA time zone database. */
  readonly timezone: string
  /** Intervals are counted from here, usually the time when the schedule was first seen. Without it, from 1970. */
  readonly anchor?: Timestamp
}

export interface Cadence {
  readonly kind: ScheduleKind
  readonly expression: string
  readonly timezone: string
  /** The first tick later than the time. Null if none comes before 2200. */
  readonly next: (after: Timestamp) => Timestamp | null
  /** The last tick earlier than the time. Null if none came since 2000. */
  readonly prev: (before: Timestamp) => Timestamp | null
  /** Computed one by one, oldest first: later than `after`, at most `until`. */
  readonly ticksBetween: (after: Timestamp, until: Timestamp) => Iterable<Timestamp>
  /** The same ticks, newest first. */
  readonly ticksBackwards: (until: Timestamp, after: Timestamp) => Iterable<Timestamp>
  readonly describeTick: (tick: Timestamp) => TickDescription
  /** The first tick later than `after`, at most `until`, that a change of clocks moves or doubles. */
  readonly nextDst: (after: Timestamp, until: Timestamp) => Timestamp | null
}

export interface TickDescription {
  /** Local time with its offset: `2026-10-25T02:30:00+02:00`. */
  readonly local: string
  /** `gap`: moved to the first instant after a gap. `overlap`: the local time comes twice that day. */
  readonly dst: Dst
}

/**
 * The issue names the definition's member; its message says what is wrong and what would be valid. `rule`: what another
 * scheduler does where the offset changes.
 */
export const compile = (
  definition: Definition,
  rule?: TransitionRule
): Either.Either<Cadence, ValidationFailed> =>
  Either.gen(function*() {
    const { anchor, expression, timezone } = definition
    const kind = yield* readKind(definition.kind)
    const zone = yield* readZone(timezone)
    const ticks = yield* Either.mapLeft(
      makeTicksOf(kind, expression, zone, anchor, rule),
      (message) => ValidationFailed.at("expression", message)
    )
    return makeCadence({ kind, expression, timezone }, zone, ticks)
  })

const readKind = (kind: string): Either.Either<ScheduleKind, ValidationFailed> =>
  isScheduleKind(kind)
    ? Either.right(kind)
    : Either.left(
      ValidationFailed.at("kind", `${quote(kind)} is not a kind that svc fires. Valid are cron, interval and clocked.`)
    )

const readZone = (name: string): Either.Either<Zone, ValidationFailed> => {
  const zone = findZone(name)
  const advice = "Valid are the names of the IANA time zone database, such as Europe/Berlin or UTC."
  return zone === null
    ? Either.left(ValidationFailed.at("timezone", `${quote(name)} is not a known time zone. ${advice}`))
    : Either.right(zone)
}

const makeTicksOf = (
  kind: ScheduleKind,
  expression: string,
  zone: Zone,
  anchor: Timestamp | undefined,
  rule: TransitionRule | undefined
): Either.Either<Ticks, string> => {
  if (kind === "cron") return makeCronTicks(expression, zone, rule)
  if (kind === "interval") {
    const from = anchor === undefined ? 0 : toEpochSeconds(anchor)
    return Either.map(Interval.parse(expression), (seconds) => makeIntervalTicks(seconds, from))
  }
  return Clocked.parse(expression, zone)
}

const makeCronTicks = (
  expression: string,
  zone: Zone,
  rule: TransitionRule | undefined
): Either.Either<Ticks, string> =>
  Either.flatMap(CronExpression.parse(expression), (fields) =>
    everMatches(fields)
      ? Either.right(makeTicks(makeWallTimes(fields), zone, rule ?? (fields.isElapsed ? elapsedTime : fixedTimes)))
      : Either.left(
        "day-of-month: none of the given months has such a day, so the expression never ticks. February has at most " +
          "29 days; April, June, September and November have 30."
      ))

/** Every `seconds` after the anchor, in elapsed time. */
const makeIntervalTicks = (seconds: number, anchor: number): Ticks => ({
  next: (after) => anchor + Math.max(Math.floor((after - anchor) / seconds) + 1, 1) * seconds,
  previous: (before) => {
    const count = Math.ceil((before - anchor) / seconds) - 1
    return count < 1 ? null : anchor + count * seconds
  },
  explain: () => null
})

const makeCadence = (
  definition: Pick<Cadence, "kind" | "expression" | "timezone">,
  zone: Zone,
  ticks: Ticks
): Cadence => {
  const next = (after: Timestamp): Timestamp | null => {
    const from = Math.max(toEpochSeconds(after), firstSecond - 1)
    const tick = from < endSecond ? ticks.next(from) : null
    return tick === null || tick >= endSecond ? null : fromSecond(tick)
  }
  const prev = (before: Timestamp): Timestamp | null => {
    const to = Math.min(roundUp(before), endSecond)
    const tick = to > firstSecond ? ticks.previous(to) : null
    return tick === null || tick < firstSecond ? null : fromSecond(tick)
  }
  const ticksBetween = function*(after: Timestamp, until: Timestamp) {
    for (let tick = next(after); tick !== null && tick <= until; tick = next(tick)) yield tick
  }
  return {
    ...definition,
    next,
    prev,
    ticksBetween,
    *ticksBackwards(until, after) {
      const latest = fromSecond(toEpochSeconds(until) + 1)
      for (let tick = prev(latest); tick !== null && tick > after; tick = prev(tick)) yield tick
    },
    describeTick: (tick) => {
      const second = toEpochSeconds(tick)
      return { local: describeLocal(second, zone.segmentAt(second).offset), dst: ticks.explain(second) }
    },
    nextDst: (after, until) => {
      const to = Math.min(toEpochSeconds(until), endSecond - 1)
      let segment = zone.segmentAt(toEpochSeconds(after))
      while (segment.end <= to) {
        const following = zone.segmentAt(segment.end)
        // only local times this near to the change are left out or come twice
        const span = Math.abs(following.offset - segment.offset)
        for (const tick of ticksBetween(fromSecond(segment.end - span - 1), fromSecond(segment.end + span))) {
          if (tick > after && tick <= until && ticks.explain(toEpochSeconds(tick)) !== null) return tick
        }
        segment = following
      }
      return null
    }
  }
}
