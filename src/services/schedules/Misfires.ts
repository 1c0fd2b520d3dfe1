import { Array as Arr, Effect, Either, Layer } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import {
  describeMisfire,
  makeMisfire,
  type MisfireCause,
  type NewMisfire
} from "../../domain/schedules/Schedule/Misfire.ts"
import { extendOutage, joinOutages, type MissedTicks } from "../../domain/schedules/Schedule/Outage.ts"
import { compileSchedule, type FirePlan } from "../../domain/schedules/Schedule/Plan.ts"
import { Lease } from "../kernel/concurrency/Leader.ts"
import * as Ids from "../kernel/Ids.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { runAfterCommit } from "../kernel/sql/AfterCommit.ts"
import { ScheduleEvents, type ScheduleFact } from "../triggers/TriggerEvents/ScheduleEvents.ts"
import { makeMisfireCauses } from "./MisfireCauses.ts"
import { type LateTick, MisfiresRepo } from "./MisfiresRepo.ts"
import { SchedulesRepo } from "./Repo.ts"
import { SchedulerPrograms } from "./SchedulerPrograms.ts"

/** Misfires of one pass of the watch; the rest follows in the next one. */
const batchSize = 500

/** Why a schedule did not fire although it was enabled. */
export type SuspensionCause = Extract<MisfireCause, "paused" | "quarantined">

/** Ticks in a row that a schedule missed. */
export interface Missed {
  readonly schedule: Schedule
  readonly ticks: MissedTicks
}

const misfireFact = ({ detail, detected_at, project_id, schedule_id }: NewMisfire): ScheduleFact => ({
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
    const schedulesRepo = yield* SchedulesRepo
    const metrics = yield* Metrics
    const events = yield* ScheduleEvents
    const { beginLeading, observeClock, readCauses } = yield* makeMisfireCauses
    const { scheduleGraceSeconds } = yield* Settings

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

    const misfireOf = (schedule: Schedule, { cause, first, last, slots }: MissedTicks, now: Timestamp.Timestamp) => {
      const detail = describeMisfire(cause, slots)
      const found = {
        expected_fire_at: first,
        grace_seconds: graceOf(schedule),
        slots,
        last_tick_at: last,
        cause,
        detail
      }
      return Effect.map(Ids.next, (id) => makeMisfire(id, schedule, found, now))
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
      const misfires = yield* Effect.forEach(outages, ({ cadence, schedule, ticks }) => {
        const before = known.get(`${schedule.id} ${ticks.first}`)
        const extended = before === undefined ? ticks : extendOutage(cadence, before, ticks, now)
        return extended === null
          ? Effect.succeed([])
          : Effect.map(misfireOf(schedule, extended, now), (misfire) => [misfire])
      })
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

    return { insert, record, recordPlans, watch, beginLeading, observeClock } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([MisfiresRepo.layer, ScheduleEvents.layer, SchedulerPrograms.layer, SchedulesRepo.layer])
  )
}
