import { Array as Arr, Effect, Either, Layer } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import type { Cadence } from "../../domain/schedules/Schedule/Cadence.ts"
import type { MisfireCause } from "../../domain/schedules/Schedule/Misfire.ts"
import { joinOutage, joinOutages, lastOf, type MissedTicks } from "../../domain/schedules/Schedule/Outage.ts"
import { compileSchedule, type FirePlan, maxCountedTicks } from "../../domain/schedules/Schedule/Plan.ts"
import { Lease } from "../kernel/concurrency/Leader.ts"
import * as Ids from "../kernel/Ids.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { runAfterCommit } from "../kernel/sql/AfterCommit.ts"
import { ScheduleEvents, type ScheduleFact } from "../triggers/TriggerEvents/ScheduleEvents.ts"
import { type KnownMisfire, type LateTick, MisfiresRepo, type NewMisfire } from "./MisfiresRepo.ts"
import { SchedulesRepo } from "./Repo.ts"
import { SchedulerPrograms } from "./SchedulerPrograms.ts"

/** Misfires of one pass of the watch; the rest follows in the next one. */
const batchSize = 500

/** An outage that lasts longer is another misfire each day, so that it is reported again and counted among the newest. */
const longestOutageSeconds = Timestamp.secondsPerDay

/** Why a schedule did not fire although it was enabled. */
export type SuspensionCause = Extract<MisfireCause, "paused" | "quarantined">

/** Ticks in a row that a schedule missed. */
export interface Missed {
  readonly schedule: Schedule
  readonly ticks: MissedTicks
}

const details: Readonly<Record<MisfireCause, string>> = {
  brain_down: "No brain ran at its time.",
  scheduler_down: "No scheduler program fired it in time.",
  no_agent: "No agent of the engine was connected in time.",
  paused: "The schedule was paused.",
  disabled: "The schedule was disabled.",
  quarantined: "The schedule was in quarantine.",
  lease_lost: "The process that fires schedules stopped, and another one took over after the tick.",
  clock_step: "The clock was set forward past the tick, or the machine or the process was suspended.",
  external_scheduler_silent: "The scheduler that owns it reported no run.",
  previous_not_started: "The engine had not started the run before.",
  late: "What fires it was late."
}

/** A longer gap between two readings of the clock, a second apart, is a step. */
const clockStepSeconds = 5

const misfireFact = ({ detail, detected_at, project_id, schedule_id }: NewMisfire): ScheduleFact => ({
  project_id,
  schedule_id,
  trigger: "schedule.misfired",
  at: detected_at,
  detail
})

/**
 * Records ticks that did not fire within their grace, each once, with the cause as far as it is known. One constructor: its
 * methods share what this process has seen of the clock and of its lead.
 */
export class Misfires extends Effect.Service<Misfires>()("svc/Misfires", {
  effect: Effect.gen(function*() {
    const repo = yield* MisfiresRepo
    const schedulesRepo = yield* SchedulesRepo
    const metrics = yield* Metrics
    const events = yield* ScheduleEvents
    const programs = yield* SchedulerPrograms
    const { embeddedScheduler, scheduleGraceSeconds } = yield* Settings
    const startedAt = yield* Timestamp.now
    const since = { started: startedAt, leading: startedAt }
    const clock = { seenAt: startedAt, steppedFrom: startedAt, steppedTo: startedAt }

    /**
     * Notices that the time jumped. The fire loop calls it each second, so a longer gap is a clock that was set forward,
     * or a machine or process that was suspended.
     */
    const observeClock = Effect.map(Timestamp.now, (now) => {
      if (Timestamp.secondsBetween(clock.seenAt, now) > clockStepSeconds) {
        clock.steppedFrom = clock.seenAt
        clock.steppedTo = now
      }
      clock.seenAt = now
      if (now < since.started) since.started = now
      if (now < since.leading) since.leading = now
    })

    /** Inserts misfires in the caller's transaction, with their messages. */
    const insert = Effect.fnUntraced(function*(misfires: ReadonlyArray<NewMisfire>) {
      if (misfires.length === 0) return
      const fresh = new Set(misfires.map(({ id }) => id)) // another id: the misfire was known, and has more slots now
      const inserted = (yield* repo.insert(misfires)).filter(({ id }) => fresh.has(id))
      yield* events.record(misfires.filter(({ id }) => inserted.some((row) => row.id === id)).map(misfireFact))
      yield* runAfterCommit(Effect.sync(() => {
        for (const { cause } of inserted) metrics.scheduleMisfires.inc({ cause })
      }))
    })

    const graceOf = ({ grace_seconds }: { readonly grace_seconds: number | null }) =>
      grace_seconds ?? scheduleGraceSeconds

    /** The cause by the time that a tick was due. */
    const readCauses = Effect.map(
      embeddedScheduler ? Effect.succeed(null) : programs.aliveSince,
      (aliveSince) => (due: Timestamp.Timestamp): MisfireCause => {
        if (due < since.started) return "brain_down"
        if (due >= clock.steppedFrom && due < clock.steppedTo) return "clock_step"
        if (!embeddedScheduler) return aliveSince !== null && aliveSince <= due ? "late" : "scheduler_down"
        return due < since.leading ? "lease_lost" : "late"
      }
    )

    /** What the outage already known is, that the ticks may belong to; null: none, or it has lasted for a day. */
    const outageOf = (known: KnownMisfire | undefined, cadence: Cadence | null, now: Timestamp.Timestamp) =>
      known === undefined
        ? null
        : {
          first: known.expected_fire_at,
          last: known.last_tick_at ?? lastOf(cadence, known.expected_fire_at, known.slots),
          slots: known.slots,
          cause: known.cause,
          isOld: Timestamp.secondsBetween(known.detected_at, now) > longestOutageSeconds
        }

    /**
     * Records ticks that did not fire in time, in the caller's transaction, which holds the locks of their schedules.
     * Ticks in a row of one outage are one misfire: they are added to the one that is known.
     */
    const record = Effect.fnUntraced(function*(all: ReadonlyArray<Missed>, now: Timestamp.Timestamp) {
      const outages = Object.values(Arr.groupBy(all, ({ schedule }) => schedule.id)).flatMap((own) => {
        const { schedule } = own[0]
        const cadence = Either.getOrNull(compileSchedule(schedule))
        return joinOutages(cadence, own.map(({ ticks }) => ticks)).map((ticks) => ({ schedule, cadence, ticks }))
      })
      if (outages.length === 0) return
      const ticks = outages.map(({ schedule, ticks }): LateTick => ({ schedule_id: schedule.id, tick: ticks.first }))
      const known = new Map((yield* repo.listKnown(ticks)).map((row) => [`${row.schedule_id} ${row.tick}`, row]))
      const misfires = yield* Effect.forEach(
        outages,
        ({ cadence, schedule, ticks }) =>
          Effect.map(Ids.next, (id): ReadonlyArray<NewMisfire> => {
            const before = outageOf(known.get(`${schedule.id} ${ticks.first}`), cadence, now)
            const joined = before === null ? null : joinOutage(cadence, before, ticks)
            if (joined !== null && joined === before) return []
            const isNext = before !== null && before.last < ticks.first
            const { cause, first, last, slots } = joined === null || (isNext && before.isOld) ? ticks : joined
            return [{
              id,
              project_id: schedule.project_id,
              schedule_id: schedule.id,
              detected_at: now,
              expected_fire_at: first,
              lateness_seconds: Timestamp.secondsBetween(first, now),
              grace_seconds: graceOf(schedule),
              slots,
              last_tick_at: last,
              cause,
              detail: slots === 1
                ? details[cause]
                : `${details[cause]} ${slots}${slots === maxCountedTicks ? " or more" : ""} ticks were missed.`,
              name: schedule.name,
              engine: schedule.engine,
              kind: schedule.kind
            }]
          })
      )
      yield* insert(misfires.flat())
    })

    /**
     * Records the missed ticks of plans, in the caller's transaction: those later than their grace, and those that
     * `catch_up` leaves out, whatever their grace.
     */
    const recordPlans = Effect.fnUntraced(function*(
      plans: ReadonlyArray<
        { readonly schedule: Schedule; readonly plan: FirePlan; readonly suspendedBy?: SuspensionCause }
      >,
      now: Timestamp.Timestamp
    ) {
      yield* observeClock
      if (!plans.some(({ plan }) => plan.missedCount > 0)) return
      const causeOf = yield* readCauses
      const missed = plans.flatMap(({ suspendedBy, plan: { lastMissed, missedCount, missedFires }, schedule }) => {
        const due = schedule.due_at ?? now
        if (lastMissed === null) return []
        if (missedCount <= missedFires.length && Timestamp.secondsBetween(due, now) <= graceOf(schedule)) return []
        const first = schedule.next_run_at ?? lastMissed
        return [{
          schedule,
          ticks: { first, last: lastMissed, slots: missedCount, cause: suspendedBy ?? causeOf(due) }
        }]
      })
      yield* record(missed, now)
    })

    /** Records ticks that did not fire: of paused schedules, of fires without an agent, or not reached by the loop. */
    const watch = Effect.gen(function*() {
      const lease = yield* Lease
      yield* observeClock
      const now = yield* Timestamp.now
      const lateness = { now, grace: scheduleGraceSeconds }
      const lateTicks = [
        ...(yield* repo.listOverdueCursors(lateness, batchSize)),
        ...(yield* repo.listSuspendedCursors(lateness, batchSize))
      ]
      const waiting = yield* repo.listWaitingFires(lateness, batchSize)
      if (lateTicks.length + waiting.length === 0) return
      const causeOf = yield* readCauses
      const suspensionCauseOf = ({ due_at, paused_at, quarantined_at }: Schedule): MisfireCause => {
        if (quarantined_at !== null) return "quarantined"
        return paused_at === null ? causeOf(due_at ?? now) : "paused"
      }
      yield* lease.withTransaction(Effect.gen(function*() {
        const ids = new Set([...lateTicks, ...waiting].map(({ schedule_id }) => schedule_id))
        const schedules = new Map((yield* schedulesRepo.lockFree([...ids])).map((row) => [row.id, row]))
        const missed = (ticks: ReadonlyArray<LateTick>, cause: (schedule: Schedule) => MisfireCause) =>
          ticks.flatMap(({ schedule_id, tick }): ReadonlyArray<Missed> => {
            const schedule = schedules.get(schedule_id)
            return schedule === undefined
              ? []
              : [{ schedule, ticks: { first: tick, last: tick, slots: 1, cause: cause(schedule) } }]
          })
        yield* record(
          [...missed(lateTicks, suspensionCauseOf), ...missed(waiting, () => "no_agent")],
          now
        )
      }))
    })

    return {
      insert,
      record,
      recordPlans,
      watch,
      /** This process leads from now on: earlier ticks were another process's to fire. */
      beginLeading: Effect.map(Timestamp.now, (now) => void (since.leading = now)),
      observeClock
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([MisfiresRepo.layer, ScheduleEvents.layer, SchedulerPrograms.layer, SchedulesRepo.layer])
  )
}
