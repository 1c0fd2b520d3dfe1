import type { ProjectId, ScheduleId } from "../domain/kernel/Id.ts"
import type { Timestamp } from "../domain/kernel/Timestamp.ts"
import type { CatchUp } from "../domain/schedules/Schedule.ts"

/**
 * A schedule as the brain reported it last: what decides its ticks, and what a fire must name. Without its arguments.
 */
export interface KnownSchedule {
  readonly id: ScheduleId
  readonly project_id: ProjectId
  readonly name: string
  readonly kind: string
  readonly expression: string
  readonly timezone: string
  readonly catch_up: CatchUp
  readonly jitter_seconds: number
  /** The schedule's own, or the brain's setting. */
  readonly grace_seconds: number
  /** Intervals count from here. */
  readonly anchor_at: Timestamp
  /** False also while it is paused or in quarantine. */
  readonly is_enabled: boolean
  readonly control_token: string
  readonly definition_digest: string
  /** Grows with every change of the schedule; the newest state is the one with the highest. */
  readonly schedule_revision: number
  readonly last_run_at: Timestamp | null
  /** The brain's cursor. Fires and skips are sent from there on. */
  readonly next_run_at: Timestamp | null
}

/** Whether both are the same definition under the same control: then only the cursor moved. */
export const hasSameControl = (one: KnownSchedule, other: KnownSchedule): boolean =>
  one.control_token === other.control_token && one.definition_digest === other.definition_digest &&
  one.is_enabled === other.is_enabled && one.jitter_seconds === other.jitter_seconds &&
  one.grace_seconds === other.grace_seconds && one.anchor_at === other.anchor_at && one.catch_up === other.catch_up
