/** Requests of scheduler programs, and whether the brain does them (agents' protocol, section 7). Pure. */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import type { ProjectId, ScheduleId } from "../../kernel/Id.ts"
import * as Timestamp from "../../kernel/Timestamp.ts"
import { isServiceOwned, type Schedule } from "../Schedule.ts"
import { maxCountedTicks } from "./Misfire.ts"
import { compileSchedule, cursorAt, type FirePlan } from "./Plan.ts"
import { digestFire } from "./WaitingFire.ts"

/** A scheduler whose clock is ahead of the brain's by more than this would fire early; it must wait. */
const maxAheadSeconds = 5

/** What a scheduler program saw of a schedule when it decided; the brain acts only while that is still true. */
export interface Observation {
  readonly schedule_id: ScheduleId
  readonly control_token: string
  readonly definition_digest: string
  readonly schedule_revision: number
  readonly last_run_at: Timestamp.Timestamp | null
  readonly next_run_at: Timestamp.Timestamp | null
}

export interface FireRequest extends Observation {
  readonly fire_id: string
  readonly scheduled_for: Timestamp.Timestamp
  /** The tick after it, by the scheduler's own cadence; null: there is none. */
  readonly prepared_next_run_at: Timestamp.Timestamp | null
}

export interface AdvanceRequest extends Observation {
  readonly project_id: ProjectId
  readonly skipped_through: Timestamp.Timestamp
  readonly prepared_next_run_at: Timestamp.Timestamp | null
}

/** Why nothing was done, as a word and a sentence. */
export interface Refusal {
  /**
   * `stale`: the schedule is not what the scheduler saw. `resolved`: it is, but its cursor has moved. `quarantined`.
   * `retry`: the same request may succeed later. `cadence`: the scheduler reads the definition otherwise than the brain.
   */
  readonly reason: "stale" | "resolved" | "quarantined" | "retry" | "cadence"
  readonly code: string
  readonly message: string
}

const refusalOf = (reason: Refusal["reason"], code: string, message: string): Refusal => ({
  reason,
  code,
  message
})

export const unknownSchedule = refusalOf("stale", "schedule_not_found", "There is no such schedule.")

export const wrongFireId = refusalOf("stale", "wrong_fire_id", "The fire id is not that of the schedule and the tick.")

export const alreadyFired = refusalOf(
  "resolved",
  "already_fired",
  "The tick has fired, and the cursor has moved. Read it again."
)

/** Whether the schedule has changed since it was observed. */
const hasNewRevision = (seen: Observation, { schedule_revision }: Schedule): boolean =>
  (schedule_revision ?? 0) > seen.schedule_revision

/** Whether the schedule is as the same request left it. */
export const isRepeatedFire = (request: FireRequest, live: Schedule): boolean =>
  hasNewRevision(request, live) && live.last_run_at === request.scheduled_for &&
  live.next_run_at === request.prepared_next_run_at

/** The same of a cursor that was moved past ticks. */
export const isRepeatedAdvance = (request: AdvanceRequest, live: Schedule): boolean =>
  hasNewRevision(request, live) && request.prepared_next_run_at !== null &&
  live.control_token === request.control_token && live.last_run_at === request.last_run_at &&
  live.next_run_at === request.prepared_next_run_at

/** Whether the schedule still is what was observed, and may fire. */
const checkObservation = (seen: Observation, live: Schedule): Refusal | null => {
  if (live.quarantined_at !== null) return refusalOf("quarantined", "schedule_quarantined", "It is in quarantine.")
  if (!isServiceOwned(live)) {
    return refusalOf("stale", "schedule_externally_owned", `${live.scheduler} owns and fires it.`)
  }
  if (!live.is_enabled) return refusalOf("stale", "schedule_disabled", "It is disabled.")
  if (live.paused_at !== null) return refusalOf("stale", "schedule_paused", "It is paused.")
  if (seen.control_token !== live.control_token || seen.definition_digest !== digestFire(live)) {
    return refusalOf("stale", "stale_control_token", "It was changed. Read it again.")
  }
  if (
    seen.schedule_revision !== live.schedule_revision || seen.next_run_at !== live.next_run_at ||
    seen.last_run_at !== live.last_run_at
  ) return refusalOf("resolved", "cursor_moved", "Its cursor has moved. Read it again.")
  return null
}

/** Why the brain does not move the cursor past `tick`; null: it does. */
export const checkRequest = (
  request: FireRequest | AdvanceRequest,
  live: Schedule,
  tick: Timestamp.Timestamp,
  now: Timestamp.Timestamp
): Refusal | null =>
  checkObservation(request, live) ?? checkTicks(request, live, tick, request.prepared_next_run_at, now)

/** A fire id has the whole seconds of its tick, so two ticks within a second would be one fire. */
const isWholeSecond = (tick: Timestamp.Timestamp): boolean => tick.slice(20, 26) === "000000"

const checkTicks = (
  seen: Observation,
  live: Schedule,
  tick: Timestamp.Timestamp,
  next: Timestamp.Timestamp | null,
  now: Timestamp.Timestamp
): Refusal | null => {
  if (tick > Timestamp.addSeconds(now, maxAheadSeconds)) {
    return refusalOf("retry", "clock_ahead", `The tick is more than ${maxAheadSeconds} s ahead of the brain's clock.`)
  }
  if (!isWholeSecond(tick) || (next !== null && !isWholeSecond(next))) {
    return refusalOf("stale", "wrong_ticks", "A tick is not a whole second.")
  }
  if (seen.next_run_at === null || tick < seen.next_run_at || (next !== null && next <= tick)) {
    return refusalOf("stale", "wrong_ticks", "The ticks are not in the order: cursor, fired tick, next tick.")
  }
  // z4j-scheduler 1.13.0 does this with an expression that it cannot read, before it reports the schedule
  if (next === null && (Either.getOrNull(compileSchedule(live))?.next(tick) ?? null) !== null) {
    return refusalOf("cadence", "no_next_tick", "The scheduler found no next tick, but the definition has one.")
  }
  return null
}

/**
 * A schedule whose scheduler fires `fires` and continues with `next`. Ticks since the cursor and at most `until` are
 * missed, and counted by the brain's own cadence. Fires of missed ticks wait for their turn, as after an outage of the
 * brain, so that a scheduler that was disconnected for hours does not flood the engine.
 */
export const planReported = (
  schedule: Schedule,
  fires: ReadonlyArray<Timestamp.Timestamp>,
  until: Timestamp.Timestamp,
  next: Timestamp.Timestamp | null,
  now: Timestamp.Timestamp
): FirePlan => {
  const cadence = Either.getOrNull(compileSchedule(schedule))
  const cursor = cadence === null
    ? { next_run_at: next, due_at: next, cursor_at: now }
    : cursorAt(schedule, cadence, next, now)
  const from = Timestamp.addSeconds(schedule.next_run_at ?? until, -0.000_001)
  let missedCount = 0
  let lastMissed: Timestamp.Timestamp | null = null
  for (const tick of cadence?.ticksBackwards(until, from) ?? []) {
    lastMissed ??= tick
    if (++missedCount >= maxCountedTicks) break
  }
  const [onTime, late] = Arr.partition(fires, (tick) => tick <= until)
  return { fires: onTime, missedFires: late, missedCount, lastMissed, cursor }
}
