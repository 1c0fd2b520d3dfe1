import { Effect } from "effect"
import { ScheduleId } from "../../domain/kernel/Id.ts"
import type * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { CreateSchedule, Schedule } from "../../domain/schedules/Schedule.ts"
import { compileSchedule, cursorAfter } from "../../domain/schedules/Schedule/Plan.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { nextToken } from "./ControlToken.ts"

/** What a person or a snapshot decides of a new schedule. */
export interface NewSchedule extends Omit<CreateSchedule, "scheduler"> {
  readonly scheduler: string
  /** The digest of the definition as imported; null for a schedule of a person. */
  readonly imported_digest: string | null
}

/** A new schedule of the current project, which begins with the first tick after now. Fails for an invalid cadence. */
export const makeSchedule = Effect.fnUntraced(function*(definition: NewSchedule, now: Timestamp.Timestamp) {
  const project = yield* CurrentProject
  const id = yield* Ids.nextOf(ScheduleId)
  const cadence = yield* compileSchedule({ ...definition, anchor_at: now })
  return {
    ...definition,
    id,
    project_id: project.id,
    priority: "normal",
    overlap_policy: "allow",
    last_run_at: null,
    ...cursorAfter({ id, jitter_seconds: definition.jitter_seconds }, cadence, now),
    total_runs: 0,
    external_id: null,
    paused_at: null,
    control_token: yield* nextToken,
    legacy_fire_control_token: null,
    stream_id: null,
    source_key: null,
    schedule_revision: null,
    quarantine_control_token: null,
    quarantine_code: null,
    quarantine_detail: null,
    quarantined_at: null,
    anchor_at: now,
    enabled_at: now,
    created_at: now,
    updated_at: now
  } satisfies Schedule
})
