/**
 * When an engine's own scheduler must have run a schedule, by its own dialect. Pure. docs/schedules.md has the rules, and
 * `test/domain/schedules/Schedule/ExternalRun.test.ts` what the schedulers do.
 */
import * as Either from "effect/Either"
import { addSeconds, type Timestamp } from "../../kernel/Timestamp.ts"
import type { Schedule } from "../Schedule.ts"
import { type Cadence, compile } from "./Cadence.ts"
import * as CronExpression from "./CronExpression.ts"
import { maxCountedTicks } from "./Misfire.ts"
import type { TransitionRule } from "./Ticks.ts"

/** How a scheduler differs from svc. */
interface Dialect {
  /** Null: the scheduler itself says when it runs a schedule next, so that nothing is computed. */
  readonly rule: TransitionRule | null
  /** Whether a day must match both day-of-month and day-of-week, unlike in crontab(5). */
  readonly needsBothDays: boolean
  /** How late a run may be published. */
  readonly delaySeconds: number
}

const longestMovedGap = 3 * 3600

const saysItself: Dialect = { rule: null, needsBothDays: false, delaySeconds: 0 }

/**
 * celery-beat (seen with Celery 5.7.0): a wall time that comes twice ticks the first time, also with `*` and steps. One in
 * a gap ticks as much later as the gap is long. A run is written to the database up to `Scheduler.sync_every` (180 s)
 * later, and beat sleeps at most 5 s.
 */
const celeryBeat: Dialect = {
  rule: { longestMovedGap, ticksTwice: false },
  needsBothDays: true,
  delaySeconds: 185
}

const dialectOf = (scheduler: string): Dialect => scheduler === "celery-beat" ? celeryBeat : saysItself

type ReportedSchedule = Pick<
  Schedule,
  "kind" | "expression" | "timezone" | "scheduler" | "is_enabled" | "last_run_at" | "next_run_at"
>

type ReportedCadence = Pick<Schedule, "kind" | "expression" | "timezone" | "scheduler">

/** The schedule's ticks; intervals count from `anchor`. Null where svc does not know them, as those of `solar`. */
const cadenceOf = (
  { expression, kind, scheduler, timezone }: ReportedCadence,
  anchor: Timestamp
): Cadence | null => {
  const { needsBothDays, rule } = dialectOf(scheduler)
  if (kind === "cron" && needsBothDays && restrictsBothDays(expression)) return null
  return Either.getOrNull(compile({ kind, expression, timezone, anchor }, rule ?? undefined))
}

const restrictsBothDays = (expression: string): boolean =>
  Either.match(CronExpression.parse(expression), {
    onLeft: () => false,
    onRight: ({ days, weekdays }) => !days.isAny && !weekdays.isAny
  })

/** The first tick later than `after`, where its scheduler's ticks are known. */
export const nextRunAfter = (schedule: ReportedCadence, after: Timestamp): Timestamp | null =>
  dialectOf(schedule.scheduler).rule === null ? null : cadenceOf(schedule, after)?.next(after) ?? null

/**
 * The first tick later than `after` of a scheduler that shows nothing more. `announced` is the run that it announced
 * last, from which intervals count; by then its ticks are those of its expression, whatever it computes itself.
 */
export const nextRunSince = (
  schedule: ReportedCadence,
  announced: Timestamp | null,
  after: Timestamp
): Timestamp | null =>
  announced === null ? nextRunAfter(schedule, after) : cadenceOf(schedule, announced)?.next(after) ?? null

/**
 * The run that the scheduler must show next: the one that it announces, else the tick after the last run, and after the
 * moment when the brain saw the schedule first, enabled, or with this cadence. Null where the scheduler shows neither
 * runs nor what comes next, as celery-beat's static schedules.
 */
export const expectedRun = (schedule: ReportedSchedule, current: Schedule | null, now: Timestamp): Timestamp | null => {
  const { last_run_at, next_run_at } = schedule
  if (!schedule.is_enabled) return null
  if (next_run_at !== null || last_run_at === null) return next_run_at
  const continues = current !== null && current.is_enabled && current.kind === schedule.kind &&
    current.expression === schedule.expression && current.timezone === schedule.timezone
  if (continues && current.last_run_at === last_run_at) return current.due_at
  return nextRunAfter(schedule, continues || last_run_at > now ? last_run_at : now)
}

/** The latest moment at which the run is shown that is due at `expected`. */
export const latestShowing = (schedule: ReportedCadence, expected: Timestamp, graceSeconds: number): Timestamp => {
  const dst = cadenceOf(schedule, expected)?.describeTick(expected).dst ?? null
  return addSeconds(
    expected,
    graceSeconds + dialectOf(schedule.scheduler).delaySeconds + (dst === "gap" ? longestMovedGap : 0)
  )
}

/** BullMQ makes a job only when the one before has begun: a run after missed ticks is the first of them, late. */
export const bullmqScheduler = "bullmq-scheduler"

/** The missed ticks from `expected` on, now that `runs` runs have come, the newest of them at `lastRunAt`. */
export const countMissedSlots = (
  schedule: ReportedCadence,
  expected: Timestamp,
  { lastRunAt, runs }: { readonly lastRunAt: Timestamp; readonly runs: number }
): number =>
  countSlots(schedule, expected, lastRunAt) - Math.max(runs, 1) + (schedule.scheduler === bullmqScheduler ? 1 : 0)

/** The ticks from `expected` until `until`, at least 1 and at most `maxCountedTicks`. */
export const countSlots = (schedule: ReportedCadence, expected: Timestamp, until: Timestamp): number => {
  let slots = 1
  for (const _ of cadenceOf(schedule, expected)?.ticksBetween(expected, until) ?? []) {
    if (++slots >= maxCountedTicks) break
  }
  return slots
}

/** The misfire of the run that `before` waited for, where more than one tick was missed before the run that came. */
export const findMissedSlots = (
  before: Schedule,
  { id, last_run_at, total_runs }: Pick<Schedule, "id" | "last_run_at" | "total_runs">
) => {
  const { due_at } = before
  if (due_at === null || last_run_at === null || last_run_at <= due_at) return []
  const slots = countMissedSlots(before, due_at, { lastRunAt: last_run_at, runs: total_runs - before.total_runs })
  return slots > 1 ? [{ schedule_id: id, expected_fire_at: due_at, slots }] : []
}
