import { Effect, Either, Layer } from "effect"
import type * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { compileSchedule, planFires } from "../../domain/schedules/Schedule/Plan.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { ScheduleFires, scheduler } from "./Fires.ts"
import { SchedulesRepo } from "./Repo.ts"

const heldSinceOf = ({ paused_at, quarantined_at }: Schedule): Timestamp.Timestamp | null =>
  paused_at === null || (quarantined_at !== null && quarantined_at < paused_at) ? quarantined_at : paused_at

/**
 * The end of a pause or a quarantine. `catch_up` decides about the ticks of that time here, for the brain's loop as for
 * scheduler programs: as ticks of the loop, those of a pause of less than a minute would be late only, and fire.
 */
export class ScheduleHolds extends Effect.Service<ScheduleHolds>()("svc/ScheduleHolds", {
  effect: Effect.gen(function*() {
    const fires = yield* ScheduleFires
    const repo = yield* SchedulesRepo
    const { scheduleCatchUpMax, scheduleGraceSeconds } = yield* Settings

    /**
     * Fires what `catch_up` fires, and moves the cursor past now, if `after` holds the schedule no more. Both are its rows
     * before and after the change, locked and written by the caller. Returns the row as it is then.
     */
    const end = Effect.fn("ScheduleHolds.end")(
      function*(before: Schedule, after: Schedule, now: Timestamp.Timestamp) {
        const { due_at, is_enabled, next_run_at, project_id } = after
        const heldSince = heldSinceOf(before)
        const isFree = is_enabled && heldSinceOf(after) === null
        if (heldSince === null || !isFree || next_run_at === null || due_at === null || due_at > now) return after
        const cadence = compileSchedule(after)
        if (Either.isLeft(cadence)) return after // the loop puts it into quarantine
        const plan = planFires({ ...after, next_run_at }, cadence.right, now, {
          catchUpMax: scheduleCatchUpMax,
          graceSeconds: after.grace_seconds ?? scheduleGraceSeconds,
          heldSince
        })
        const heldBy = before.quarantined_at === null ? "paused" as const : "quarantined" as const
        const revision = after.schedule_revision ?? 0
        yield* fires.writePlans([{ schedule: after, plan, heldBy }], {
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

    return { end } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([ScheduleFires.layer, SchedulesRepo.layer]))
}
