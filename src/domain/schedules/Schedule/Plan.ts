/** Which ticks of a schedule fire now, and where its cursor goes. */
import * as Either from "effect/Either"
import { ValidationFailed } from "../../kernel/Errors.ts"
import type { ScheduleId } from "../../kernel/Id.ts"
import { addSeconds, type Timestamp } from "../../kernel/Timestamp.ts"
import type { CatchUp } from "../Schedule.ts"
import { type Cadence, compile } from "./Cadence.ts"
import { catchUp } from "./CatchUp.ts"
import { quote } from "./CronField.ts"
import { addJitter } from "./Jitter.ts"
import { maxCountedTicks } from "./Misfire.ts"

interface StoredCadence {
  readonly kind: string
  readonly expression: string
  readonly timezone: string
  readonly anchor_at: Timestamp
}

/** The cadence of a stored schedule. Fails where this machine no longer knows its zone, or a newer program wrote it. */
export const compileSchedule = ({ anchor_at, ...definition }: StoredCadence) =>
  compile({ ...definition, anchor: anchor_at })

/** Refuses the one date and time of a clocked schedule once it has passed: the schedule would never fire. */
export const refusePast = (
  { expression, kind, next }: Cadence,
  now: Timestamp
): Either.Either<void, ValidationFailed> =>
  kind !== "clocked" || next(now) !== null
    ? Either.void
    : Either.left(ValidationFailed.at(
      "expression",
      `${quote(expression)} has passed: it is ${now.slice(0, 19)}Z, and the schedule would never fire. ` +
        "Give a later date and time. To run the task at once, trigger a schedule of it."
    ))

/** The next tick of a schedule, and when it fires: with its jitter. Null after the last tick. */
export interface Cursor {
  readonly next_run_at: Timestamp | null
  readonly due_at: Timestamp | null
  /** The time by which the cursor was computed: ticks until then are past. */
  readonly cursor_at: Timestamp
}

export interface Jittered {
  readonly id: ScheduleId
  readonly jitter_seconds: number
}

/** The cursor of a schedule whose next tick is `tick`, computed at `cursor_at`. */
export const cursorAt = (
  { id, jitter_seconds }: Jittered,
  cadence: Cadence,
  tick: Timestamp | null,
  cursor_at: Timestamp
): Cursor => ({
  next_run_at: tick,
  due_at: tick === null ? null : addJitter(id, tick, jitter_seconds, cadence.next(tick)),
  cursor_at
})

/** The cursor of a schedule whose ticks until `after` are past. */
export const cursorAfter = (schedule: Jittered, cadence: Cadence, after: Timestamp): Cursor =>
  cursorAt(schedule, cadence, cadence.next(after), after)

/** Clocks of two machines may differ by this much. Ticks of a shorter step fire late at most, so they are not missed. */
const maxSkewSeconds = 5

/** A cursor computed later than this was computed before the clock was set back. */
export const latestCursorAt = (now: Timestamp): Timestamp => addSeconds(now, maxSkewSeconds)

interface RewoundSchedule extends Jittered, StoredCadence {
  readonly next_run_at: Timestamp | null
  readonly enabled_at: Timestamp
}

const earlier = (one: Timestamp, other: Timestamp): Timestamp => (one < other ? one : other)

/**
 * What a schedule continues with when its cursor was computed before the clock was set back: the next tick after `now`,
 * or its old cursor where a jitter holds that tick back. Times in the future would keep intervals and waiting fires from
 * firing, so they become `now`.
 */
export const rewindCursor = (schedule: RewoundSchedule, now: Timestamp) => {
  const anchor_at = earlier(schedule.anchor_at, now)
  return Either.map(compileSchedule({ ...schedule, anchor_at }), (cadence) => {
    const next = cadence.next(now)
    const tick = next === null || schedule.next_run_at === null
      ? next ?? schedule.next_run_at
      : earlier(next, schedule.next_run_at)
    return { anchor_at, enabled_at: earlier(schedule.enabled_at, now), ...cursorAt(schedule, cadence, tick, now) }
  })
}

/** A tick may be this late without being missed, whatever the grace says: else a long grace would undo `catch_up`. */
const maxLatenessSeconds = 60

/** The loop itself is a little late, so with a grace of 0 every tick would be missed. */
export const minLatenessSeconds = 5

export interface FirePlan {
  /** Ticks that fire at their time. Oldest first, as in `missedFires`. */
  readonly fires: ReadonlyArray<Timestamp>
  /** Missed ticks that `catch_up` fires. */
  readonly missedFires: ReadonlyArray<Timestamp>
  /** Missed ticks, fired or not, at most `maxCountedTicks`. The oldest one is the cursor from before. */
  readonly missedCount: number
  /** The newest missed tick, fired or not; null: none was missed. */
  readonly lastMissed: Timestamp | null
  readonly cursor: Cursor
}

interface PlannedSchedule extends Jittered {
  readonly next_run_at: Timestamp
  readonly catch_up: CatchUp
}

interface PlanLimits {
  readonly catchUpMax: number
  /** A later tick is missed. */
  readonly graceSeconds: number
  /** The start of a pause or quarantine that ends now: its ticks are missed, however short it was. */
  readonly suspendedSince?: Timestamp
}

/** The plan at `now` of a schedule whose cursor is due. */
export const planFires = (
  schedule: PlannedSchedule,
  cadence: Cadence,
  now: Timestamp,
  { catchUpMax, graceSeconds, suspendedSince }: PlanLimits
): FirePlan => {
  const { id, jitter_seconds } = schedule
  const missedBefore = addSeconds(now, -Math.max(Math.min(graceSeconds, maxLatenessSeconds), minLatenessSeconds))
  const fires: Array<Timestamp> = []
  const missed: Array<Timestamp> = []
  let next = cadence.next(now)
  let cursorTick = next
  for (const tick of cadence.ticksBackwards(now, addSeconds(schedule.next_run_at, -0.000_001))) {
    const due = addJitter(id, tick, jitter_seconds, next)
    next = tick
    if (due > now) cursorTick = tick
    else if (due >= missedBefore && (suspendedSince === undefined || due < suspendedSince)) fires.unshift(tick)
    else if (missed.push(tick) >= maxCountedTicks) break
  }
  return {
    fires,
    missedFires: catchUp(schedule.catch_up, missed, Math.min(catchUpMax, maxCountedTicks)).ticks,
    missedCount: missed.length,
    lastMissed: missed[0] ?? null,
    cursor: cursorAt(schedule, cadence, cursorTick, now)
  }
}
