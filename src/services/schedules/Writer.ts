import { Effect, Either, Layer } from "effect"
import type { ScheduleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { isServiceOwned, type Schedule } from "../../domain/schedules/Schedule.ts"
import { compileSchedule, planFires } from "../../domain/schedules/Schedule/Plan.ts"
import { listStale } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { Audit } from "../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints } from "../kernel/sql/Database.ts"
import { FireWriter, scheduler } from "./FireWriter.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"
import { externallyOwned, orNotFound } from "./Refusals.ts"
import { SchedulesRepo } from "./Repo.ts"

const findSuspensionStart = ({ paused_at, quarantined_at }: Schedule): Timestamp.Timestamp | null =>
  paused_at === null || (quarantined_at !== null && quarantined_at < paused_at) ? quarantined_at : paused_at

/** A schedule under the locks of a change, and the revision that the change has. */
export interface LockedSchedule {
  readonly schedule: Schedule
  readonly schedule_revision: number
  readonly now: Timestamp.Timestamp
}

/** A change of a locked schedule; `metadata` is for its audit row. */
interface ScheduleWrite {
  readonly before: Schedule
  readonly after: Schedule
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Writes changes of single schedules, with what follows from them. */
export class ScheduleWriter extends Effect.Service<ScheduleWriter>()("svc/ScheduleWriter", {
  effect: Effect.gen(function*() {
    const fires = yield* FireWriter
    const openFires = yield* OpenFiresRepo
    const repo = yield* SchedulesRepo
    const audit = yield* Audit
    const hints = yield* Hints
    const { scheduleCatchUpMax, scheduleGraceSeconds } = yield* Settings

    /**
     * The end of a pause or a quarantine, if `after` is in neither: fires what `catch_up` fires, and moves the cursor
     * past now. `catch_up` decides here, for the brain's loop as for scheduler programs: as ticks of the loop, those of a
     * pause of less than a minute would be late only, and fire. Returns the row as it is then.
     */
    const endSuspension = Effect.fn("ScheduleWriter.endSuspension")(
      function*(before: Schedule, after: Schedule, now: Timestamp.Timestamp) {
        const { due_at, is_enabled, next_run_at, project_id } = after
        const suspendedSince = findSuspensionStart(before)
        const isFree = is_enabled && findSuspensionStart(after) === null
        if (suspendedSince === null || !isFree || next_run_at === null || due_at === null || due_at > now) return after
        const cadence = compileSchedule(after)
        if (Either.isLeft(cadence)) return after // the loop puts it into quarantine
        const plan = planFires({ ...after, next_run_at }, cadence.right, now, {
          catchUpMax: scheduleCatchUpMax,
          graceSeconds: after.grace_seconds ?? scheduleGraceSeconds,
          suspendedSince
        })
        const suspendedBy = before.quarantined_at === null ? "paused" as const : "quarantined" as const
        const revision = after.schedule_revision ?? 0
        yield* fires.writePlans([{ schedule: after, plan, suspendedBy }], {
          choose: yield* fires.makeChooser([project_id]),
          nextRevision: () => revision,
          fence: 0,
          now
        })
        const [written] = yield* repo.listByIds([after.id])
        return written ?? after
      },
      Effect.provideService(CurrentActor, scheduler)
    )

    /** Takes the locks of a change, and the revision that it has. Fails for a schedule that the service does not own. */
    const lock = Effect.fnUntraced(function*(id: ScheduleId, verb: string) {
      const project = yield* CurrentProject
      const schedule_revision = yield* repo.takeRevisions(1)
      const schedule = yield* orNotFound(yield* repo.lock(project.id, id))
      if (!isServiceOwned(schedule)) return yield* externallyOwned(schedule, verb)
      return { schedule, schedule_revision, now: yield* Timestamp.now } satisfies LockedSchedule
    })

    /**
     * Writes locked schedules, and records that: call it last in the transaction, as `Audit.recordAll`. Fires that wait end
     * where a change makes them stale. Returns the rows as they are then.
     */
    const writeAll = Effect.fnUntraced(function*(action: string, changes: ReadonlyArray<ScheduleWrite>) {
      yield* Effect.forEach(changes, ({ after }) => repo.update(after), { discard: true })
      yield* openFires.endStale(listStale(changes))
      const rows = yield* Effect.forEach(changes, ({ after, before }) => endSuspension(before, after, after.updated_at))
      const projectIds = new Set(changes.map(({ after }) => after.project_id))
      yield* Effect.forEach(projectIds, (id) => hints.publish("schedules", id), { discard: true })
      const actor = yield* CurrentActor
      yield* audit.recordAll(changes.map(({ after: { id, name, project_id }, metadata }) => ({
        actor,
        entry: { action, target_type: "schedule", target_id: id, project_id, metadata: { name, ...metadata } }
      })))
      return rows
    })

    /** As `writeAll`, of one schedule. */
    const write = (before: Schedule, after: Schedule, action: string, metadata: ScheduleWrite["metadata"]) =>
      Effect.map(writeAll(action, [{ before, after, metadata }]), ([row]) => row ?? after)

    return { lock, write, writeAll } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([FireWriter.layer, OpenFiresRepo.layer, SchedulesRepo.layer])
  )
}
