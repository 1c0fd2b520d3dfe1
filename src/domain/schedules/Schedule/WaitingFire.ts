/** Fires that wait, and why they are no longer sent. Pure. */
import { createHash } from "node:crypto"
import { canonicalize } from "../../kernel/CanonicalJson.ts"
import type { ScheduleId } from "../../kernel/Id.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import type { Schedule } from "../Schedule.ts"

/** What a fire submits, and when: the fields that make a waiting fire stale when they change. */
type FireDefinition = Pick<
  Schedule,
  "engine" | "kind" | "expression" | "timezone" | "task_name" | "queue" | "args" | "kwargs"
>

/** SHA-256 of what a schedule's fires submit, and when: the `definition_digest` of a fire, hex. */
export const digestFire = (definition: FireDefinition): string => {
  const { args, engine, expression, kind, kwargs, queue, task_name, timezone } = definition
  const text = canonicalize([engine, kind, expression, timezone, task_name, queue, args, kwargs])
  return createHash("sha256").update(text).digest("hex")
}

/** A change of a schedule; `after` is null for a deletion. */
export interface ScheduleChanged {
  readonly before: Schedule
  readonly after: Schedule | null
}

/** A schedule whose waiting fires are not sent any more, and why, as a sentence. */
export interface StaleSchedule {
  readonly schedule_id: ScheduleId
  readonly reason: string
}

const deleted = "The schedule was deleted."
const disabled = "The schedule was disabled."
export const quarantined = "The schedule is in quarantine."
const redefined = "The schedule's definition has changed."

const reasonAfter = ({ after, before }: ScheduleChanged): string | null => {
  if (after === null) return deleted
  if (!after.is_enabled) return disabled
  if (after.quarantined_at !== null) return quarantined
  return digestFire(before) === digestFire(after) ? null : redefined
}

/** The schedules whose waiting fires end with these changes, so that their status says so at once. */
export const listStale = (changes: ReadonlyArray<ScheduleChanged>): ReadonlyArray<StaleSchedule> =>
  changes.flatMap((change) => {
    const reason = reasonAfter(change)
    return reason === null ? [] : [{ schedule_id: change.before.id, reason }]
  })

/**
 * Why a fire is no longer sent when its turn has come; null: it is. Changes end such fires at once; this finds those that
 * no change saw, as when a project was deleted with its schedules.
 */
export const staleReason = (
  fire: { readonly fired_at: Timestamp; readonly definition_digest: string },
  schedule: Schedule | undefined
): string | null => {
  if (schedule === undefined) return deleted
  if (!schedule.is_enabled || fire.fired_at < schedule.enabled_at) return disabled
  if (schedule.quarantined_at !== null) return quarantined
  return digestFire(schedule) === fire.definition_digest ? null : redefined
}
