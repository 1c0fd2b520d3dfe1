import { Effect, Option } from "effect"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { decideSchedule } from "../../domain/schedules/Schedule/Recovery.ts"
import { checkRepeat, type Decision } from "../../domain/schedules/Schedule/Resolution.ts"
import { nextToken } from "./ControlToken.ts"
import { type Evidence, type Resolution, ResolutionsRepo } from "./ResolutionsRepo.ts"
import { withoutCounts } from "./ScheduleReads.ts"
import { type LockedSchedule, ScheduleWriter } from "./Writer.ts"

/** What operators have decided about fires. Under the lock of the schedule. */
export const makeResolutions = Effect.gen(function*() {
  const repo = yield* ResolutionsRepo
  const writer = yield* ScheduleWriter

  /** The result of an equal earlier request; null: there was none. Fails if the earlier request differed. */
  const findEarlier = Effect.fnUntraced(
    function*(known: Option.Option<Resolution>, decision: Decision, schedule: Schedule) {
      if (Option.isNone(known) || known.value.resolved_at === null) return null
      const { control_token, grant_carried, revision } = known.value
      const refusal = checkRepeat(known.value, decision)
      if (refusal !== null) return yield* refusal
      return {
        disposition: "already_resolved",
        schedule: withoutCounts(schedule),
        resolution_control_token: control_token,
        committed_revision: revision,
        grant_carried: grant_carried === true
      }
    }
  )

  /** Records the decision, and ends the quarantine unless another fire is still to be resolved. */
  const decide = Effect.fnUntraced(function*(
    { now, schedule, schedule_revision }: LockedSchedule,
    evidence: Evidence,
    decision: Decision,
    action: string
  ) {
    const { enabled_after_resolution, fire_id, work_may_have_executed } = decision
    const control_token = yield* nextToken
    const resolution = {
      ...evidence,
      fire_id,
      work_may_have_executed,
      enabled_after_resolution,
      resolved_at: now,
      control_token,
      revision: schedule_revision
    }
    yield* repo.resolve({ ...resolution, grant_carried: false })
    const next = yield* repo.findOpen(schedule.id)
    const changed = decideSchedule(schedule, {
      control_token,
      enabled_after_resolution,
      next,
      now,
      schedule_revision
    })
    const grant_carried = changed.legacy_fire_control_token !== null
    if (grant_carried) yield* repo.resolve({ ...resolution, grant_carried })
    const { evidence_id, evidence_kind } = evidence
    const shown = yield* writer.write(schedule, changed, action, {
      fire_id,
      evidence_kind,
      evidence_id,
      work_may_have_executed,
      enabled_after_resolution
    })
    return {
      disposition: "resolved",
      schedule: withoutCounts(shown),
      resolution_control_token: control_token,
      committed_revision: schedule_revision,
      grant_carried
    }
  })

  return { find: repo.find, findEarlier, decide } as const
})
