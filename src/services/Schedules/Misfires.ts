import { Effect, Layer } from "effect"
import type { Schedule } from "../../domain/Schedule.ts"
import type { MisfireCause } from "../../domain/Schedule/Misfire.ts"
import { type FirePlan, maxCountedTicks } from "../../domain/Schedule/Plan.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import * as Ids from "../Ids.ts"
import { Lease } from "../Leader.ts"
import { Metrics } from "../Metrics.ts"
import { Settings } from "../Settings.ts"
import { ScheduleEvents, type ScheduleFact } from "../TriggerEvents/ScheduleEvents.ts"
import { type LateTick, MisfiresRepo, type NewMisfire } from "./MisfiresRepo.ts"

/** Misfires of one pass of the watch; the rest follows in the next one. */
const batchSize = 500

const details: Readonly<Record<MisfireCause, string>> = {
  brain_down: "No brain ran at its time.",
  scheduler_down: "No scheduler program fired it in time.",
  no_agent: "No agent of the engine was connected, so the fire waits for one.",
  paused: "The schedule was paused.",
  disabled: "The schedule was disabled.",
  quarantined: "The schedule was in quarantine.",
  lease_lost: "The process that fires schedules stopped, and another one took over after the tick.",
  clock_step: "The clock was set forward past the tick, or the machine or the process was suspended.",
  external_scheduler_silent: "The scheduler that owns it reported no run.",
  previous_not_started: "The engine had not started the run before.",
  late: "The fire loop was late."
}

/** A longer gap between two readings of the clock, a second apart, is a step. */
const clockStepSeconds = 5

const secondsBetween = (from: Timestamp.Timestamp, to: Timestamp.Timestamp): number =>
  (Timestamp.toEpochMillis(to) - Timestamp.toEpochMillis(from)) / 1000

export const misfireFact = ({ detail, detected_at, project_id, schedule_id }: NewMisfire): ScheduleFact => ({
  project_id,
  schedule_id,
  trigger: "schedule.misfired",
  at: detected_at,
  detail
})

/** Records ticks that did not fire within their grace, each once, with the cause as far as it is known. */
export class Misfires extends Effect.Service<Misfires>()("svc/Misfires", {
  effect: Effect.gen(function*() {
    const repo = yield* MisfiresRepo
    const metrics = yield* Metrics
    const events = yield* ScheduleEvents
    const { embeddedScheduler, scheduleGraceSeconds } = yield* Settings
    const startedAt = yield* Timestamp.now
    const since = { started: startedAt, leading: startedAt }
    const clock = { seenAt: startedAt, steppedFrom: startedAt, steppedTo: startedAt }

    /**
     * Notices that the time jumped. The fire loop calls it each second, so a longer gap is a clock that was set forward,
     * or a machine or process that was suspended.
     */
    const observeClock = Effect.map(Timestamp.now, (now) => {
      if (secondsBetween(clock.seenAt, now) > clockStepSeconds) {
        clock.steppedFrom = clock.seenAt
        clock.steppedTo = now
      }
      clock.seenAt = now
      if (now < since.started) since.started = now
      if (now < since.leading) since.leading = now
    })

    const insert = Effect.fnUntraced(function*(misfires: ReadonlyArray<NewMisfire>) {
      if (misfires.length === 0) return
      const fresh = new Set(misfires.map(({ id }) => id)) // another id: the misfire was known, and has more slots now
      const inserted = (yield* repo.insert(misfires)).filter(({ id }) => fresh.has(id))
      yield* events.record(misfires.filter(({ id }) => inserted.some((row) => row.id === id)).map(misfireFact))
      for (const { cause } of inserted) metrics.scheduleMisfires.inc({ cause })
    })

    const graceOf = ({ grace_seconds }: { readonly grace_seconds: number | null }) =>
      grace_seconds ?? scheduleGraceSeconds

    const causeOf = (due: Timestamp.Timestamp): MisfireCause => {
      if (due < since.started) return "brain_down"
      if (due >= clock.steppedFrom && due < clock.steppedTo) return "clock_step"
      if (!embeddedScheduler) return "scheduler_down"
      return due < since.leading ? "lease_lost" : "late"
    }

    /**
     * Records the missed ticks of a plan, as one misfire, in the caller's transaction: those later than their grace, and
     * those that `catch_up` leaves out, whatever their grace.
     */
    const recordPlans = Effect.fnUntraced(function*(
      plans: ReadonlyArray<{ readonly schedule: Schedule; readonly plan: FirePlan }>,
      now: Timestamp.Timestamp
    ) {
      yield* observeClock
      const missed = plans.filter(({ plan: { missedCount, missedFires }, schedule }) =>
        missedCount > missedFires.length ||
        (missedCount > 0 && secondsBetween(schedule.due_at ?? now, now) > graceOf(schedule))
      )
      const misfires = yield* Effect.forEach(
        missed,
        ({ plan: { missedCount }, schedule }) =>
          Effect.map(Ids.next, (id): NewMisfire => {
            const expected_fire_at = schedule.next_run_at ?? now
            const cause = causeOf(schedule.due_at ?? now)
            const count = `${missedCount}${missedCount === maxCountedTicks ? " or more" : ""}`
            return {
              id,
              project_id: schedule.project_id,
              schedule_id: schedule.id,
              detected_at: now,
              expected_fire_at,
              lateness_seconds: secondsBetween(expected_fire_at, now),
              grace_seconds: graceOf(schedule),
              slots: missedCount,
              cause,
              detail: missedCount === 1 ? details[cause] : `${details[cause]} ${count} ticks were missed.`,
              name: schedule.name,
              engine: schedule.engine,
              kind: schedule.kind
            }
          })
      )
      yield* insert(misfires)
    })

    const heldCause = ({ due_at, paused_at, quarantined_at }: LateTick): MisfireCause => {
      if (quarantined_at !== null) return "quarantined"
      return paused_at === null ? causeOf(due_at) : "paused"
    }

    const recordLate = Effect.fnUntraced(function*(
      ticks: ReadonlyArray<LateTick>,
      cause: (tick: LateTick) => MisfireCause,
      now: Timestamp.Timestamp
    ) {
      const misfires = yield* Effect.forEach(ticks, (tick) =>
        Effect.map(Ids.next, (id): NewMisfire => {
          const { due_at: _due, paused_at: _paused, quarantined_at: _quarantined, ...rest } = tick
          return {
            ...rest,
            id,
            detected_at: now,
            lateness_seconds: secondsBetween(tick.expected_fire_at, now),
            grace_seconds: graceOf(tick),
            slots: 1,
            cause: cause(tick),
            detail: details[cause(tick)]
          }
        }))
      yield* insert(misfires)
    })

    /** Records ticks that stand still: of paused schedules, of fires without an agent, or that the loop does not reach. */
    const watch = Effect.gen(function*() {
      const lease = yield* Lease
      yield* observeClock
      const now = yield* Timestamp.now
      const lateness = { now, grace: scheduleGraceSeconds }
      const standing = [
        ...(yield* repo.listStandingCursors(lateness, batchSize)),
        ...(yield* repo.listHeldCursors(lateness, batchSize))
      ]
      const waiting = yield* repo.listWaitingFires(lateness, batchSize)
      if (standing.length + waiting.length === 0) return
      yield* lease.withTransaction(
        Effect.zipRight(recordLate(standing, heldCause, now), recordLate(waiting, () => "no_agent", now))
      )
    })

    return {
      recordPlans,
      watch,
      /** This process leads from now on: earlier ticks were another process's to fire. */
      beginLeading: Effect.map(Timestamp.now, (now) => void (since.leading = now)),
      observeClock
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([MisfiresRepo.layer, ScheduleEvents.layer]))
}
