import { Array as Arr, Effect, Either, Layer } from "effect"
import type { ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ScheduleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { compileSchedule, latestCursorAt, planFires, rewindCursor } from "../../domain/schedules/Schedule/Plan.ts"
import { Lease } from "../kernel/concurrency/Leader.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { DueRepo, type DueSchedule } from "./DueRepo.ts"
import { type DuePlan, FireWriter, scheduler } from "./FireWriter.ts"
import { ScheduleQuarantine } from "./Quarantine.ts"
import { SchedulesRepo } from "./Repo.ts"

/** Schedules of one transaction. */
const maxBatchSize = 500

/** Fires of one transaction, if all its schedules missed as many ticks as are caught up. */
const maxBatchFires = 20_000

interface BrokenSchedule {
  readonly schedule: Schedule
  readonly detail: string
}

/**
 * Fires the schedules that the service owns, under the lease of the fire loop (`FireLoop.ts`). Fires that wait are sent by
 * `WaitingFires.ts`.
 */
export class ScheduleFires extends Effect.Service<ScheduleFires>()("svc/ScheduleFires", {
  effect: Effect.gen(function*() {
    const due = yield* DueRepo
    const repo = yield* SchedulesRepo
    const { makeChooser, writePlans } = yield* FireWriter
    const quarantine = yield* ScheduleQuarantine
    const { scheduleCatchUpMax, scheduleGraceSeconds } = yield* Settings
    const batchSize = Math.min(maxBatchSize, Math.ceil(maxBatchFires / scheduleCatchUpMax))

    /** The next revisions, one for each of the rows. */
    const takeRevisions = Effect.fnUntraced(function*(rows: ReadonlyArray<DueSchedule>) {
      let revision = (yield* repo.takeRevisions(rows.length)) - rows.length
      return () => ++revision
    })

    const planDue = (schedule: Schedule, now: Timestamp.Timestamp): Either.Either<DuePlan, BrokenSchedule> => {
      const { next_run_at } = schedule
      if (next_run_at === null) return Either.left({ schedule, detail: "It is due and has no next tick." })
      const graceSeconds = schedule.grace_seconds ?? scheduleGraceSeconds
      return Either.mapBoth(compileSchedule(schedule), {
        onLeft: ({ detail }: ValidationFailed) => ({ schedule, detail }),
        onRight: (cadence) => ({
          schedule,
          plan: planFires({ ...schedule, next_run_at }, cadence, now, {
            catchUpMax: scheduleCatchUpMax,
            graceSeconds
          })
        })
      })
    }

    /** A definition that no longer compiles would fire at a guess (docs/schedules.md). */
    const quarantineBroken = (broken: ReadonlyArray<BrokenSchedule>, nextRevision: () => number) =>
      quarantine.begin(
        broken.map((one) => ({ ...one, code: "definition_invalid", schedule_revision: nextRevision() }))
      )

    /**
     * Fires, moved cursors, misfires and commands of these schedules: all in one transaction, or nothing. Returns the
     * schedules that it fired; another transaction holds the rest, or has changed it.
     */
    const fireBatch = Effect.fnUntraced(function*(rows: ReadonlyArray<DueSchedule>, now: Timestamp.Timestamp) {
      const lease = yield* Lease
      const choose = yield* makeChooser(rows.map(({ project_id }) => project_id))
      return yield* lease.withTransaction(Effect.gen(function*() {
        const nextRevision = yield* takeRevisions(rows)
        const schedules = yield* due.lockDue(rows.map(({ id }) => id), now)
        const [broken, plans] = Arr.partitionMap(schedules, (schedule) => planDue(schedule, now))
        yield* writePlans(plans, { choose, nextRevision, fence: lease.fence, now })
        yield* quarantineBroken(broken, nextRevision)
        return schedules.map(({ id }) => id)
      }))
    }, Effect.provideService(CurrentActor, scheduler))

    /** The schedules of the next batch without the `excluded` ones, and whether more may be due. */
    const listDue = Effect.fn("ScheduleFires.listDue")(function*(excluded: ReadonlySet<ScheduleId>) {
      const now = yield* Timestamp.now
      const rows = yield* due.listDue(now, batchSize + excluded.size)
      const batch = rows.filter(({ id }) => !excluded.has(id)).slice(0, batchSize)
      return { batch, now, hasMore: batch.length === batchSize }
    })

    /** Computes cursors again that were computed before the clock was set back, in one transaction. Returns their number. */
    const rewindBatch = Effect.fnUntraced(function*(rows: ReadonlyArray<DueSchedule>, now: Timestamp.Timestamp) {
      const lease = yield* Lease
      return yield* lease.withTransaction(Effect.gen(function*() {
        const nextRevision = yield* takeRevisions(rows)
        const schedules = yield* due.lockAhead(rows.map(({ id }) => id), latestCursorAt(now))
        const rewound = schedules.map((schedule) => ({ schedule, cursor: rewindCursor(schedule, now) }))
        const broken = rewound.flatMap(({ cursor, schedule }) =>
          Either.isLeft(cursor) && schedule.quarantined_at === null
            ? [{ schedule, detail: cursor.left.detail } satisfies BrokenSchedule]
            : []
        )
        const cursors = rewound.map(({ cursor, schedule }) => ({
          ...Either.getOrElse(cursor, () => schedule),
          id: schedule.id,
          cursor_at: now,
          schedule_revision: nextRevision()
        }))
        yield* due.rewindCursors(cursors)
        yield* quarantineBroken(broken, nextRevision)
        return schedules.length
      }))
    }, Effect.provideService(CurrentActor, scheduler))

    /**
     * Brings back the schedules whose next tick lies ahead of its time, because it was computed before the clock was
     * set back. The ticks after now are due again; those that have fired keep their fire, so none fires twice. Returns
     * the number of schedules; there may be more. 0: another transaction holds the rest.
     */
    const rewind = Effect.fn("ScheduleFires.rewind")(function*() {
      const now = yield* Timestamp.now
      const rows = yield* due.listAhead(latestCursorAt(now), batchSize)
      const count = rows.length === 0 ? 0 : yield* rewindBatch(rows, now)
      if (count > 0) {
        yield* Effect.annotateLogs(
          Effect.logWarning("the clock was set back: next ticks of schedules are computed again"),
          { cause: "clock_step", schedules: count, now }
        )
      }
      return count
    })

    return { listDue, fireBatch, rewind, nextDue: due.nextDue } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([DueRepo.layer, FireWriter.layer, ScheduleQuarantine.layer, SchedulesRepo.layer])
  )
}
