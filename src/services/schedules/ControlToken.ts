import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Id } from "../../domain/kernel/Id.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"

/** A new control token: every operation on a schedule replaces the one before. */
export const nextToken = Effect.sync(() => Id.make(randomUUID(), { disableValidation: true }))

/**
 * The tokens of a schedule after an operation. In quarantine both are one, so that an operation on an older view is
 * refused. A grant for a scheduler without fencing ends: that scheduler fires by a view from before the operation.
 */
export const nextTokens = (schedule: Pick<Schedule, "quarantined_at">) =>
  Effect.map(nextToken, (control_token) => ({
    control_token,
    quarantine_control_token: schedule.quarantined_at === null ? null : control_token,
    legacy_fire_control_token: null
  }))
