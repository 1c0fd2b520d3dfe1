import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { type ProjectId, ScheduleId } from "../../kernel/Id.ts"
import { secondsBetween, Timestamp } from "../../kernel/Timestamp.ts"
import type { Schedule } from "../Schedule.ts"

/** Why a tick did not fire in time, as far as the brain knows. Metrics use it as a label. */
export const misfireCauses = [
  "brain_down",
  "scheduler_down",
  "no_agent",
  "paused",
  "disabled",
  "quarantined",
  "lease_lost",
  "clock_step",
  "external_scheduler_silent",
  "previous_not_started",
  "late"
] as const
export const MisfireCause = Schema.Literal(...misfireCauses)
export type MisfireCause = typeof MisfireCause.Type

/** A tick of an enabled schedule that did not fire within its grace (bodies: ScheduleMisfirePublic). */
export const ScheduleMisfire = Schema.Struct({
  schedule_id: describeField(ScheduleId, "The schedule's id.", exampleId),
  detected_at: describeField(Timestamp, "When the brain noticed.", exampleTime),
  expected_fire_at: describeField(Schema.NullOr(Timestamp), "The tick.", exampleTime),
  lateness_seconds: describeField(Schema.NullOr(Schema.Number), "How late it was at that time, in seconds.", 61.5),
  grace_seconds: describeField(Schema.NullOr(Schema.Int), "The grace at that time, in seconds.", 60),
  slots: describeField(Schema.Int, "The number of ticks in a row that it represents; 1000: that many or more.", 1),
  cause: describeField(
    Schema.String.annotations({ jsonSchema: { type: "string", enum: misfireCauses } }),
    "Why, as a word.",
    "no_agent"
  ),
  detail: describeField(Schema.NullOr(Schema.String), "Why, as a sentence.", "No agent of the engine was connected."),
  name: describeField(Schema.NullOr(Schema.String), "The schedule's name.", "nightly report"),
  engine: describeField(Schema.NullOr(Schema.String), "The schedule's engine.", "celery"),
  kind: describeField(Schema.NullOr(Schema.String), "The schedule's kind.", "cron")
}).annotations(describeBody("ScheduleMisfire", "A tick that did not fire in time."))
export type ScheduleMisfire = typeof ScheduleMisfire.Type

/** Ticks of an outage that are counted; a schedule that ticks each second and was away for a year has more. */
export const maxCountedTicks = 1000

/** A misfire as it is recorded. */
export interface NewMisfire {
  readonly id: string
  readonly project_id: ProjectId
  readonly schedule_id: ScheduleId
  readonly detected_at: Timestamp
  readonly expected_fire_at: Timestamp
  readonly lateness_seconds: number
  readonly grace_seconds: number
  /** The ticks that it covers: those in a row from `expected_fire_at` on. */
  readonly slots: number
  /** Null: unknown, of other schedulers. */
  readonly last_tick_at: Timestamp | null
  readonly cause: MisfireCause
  readonly detail: string
  readonly name: string
  readonly engine: string
  readonly kind: string
}

const details: Readonly<Record<MisfireCause, string>> = {
  brain_down: "No brain ran at its time.",
  scheduler_down: "No scheduler program fired it in time.",
  no_agent: "No agent of the engine was connected in time.",
  paused: "The schedule was paused.",
  disabled: "The schedule was disabled.",
  quarantined: "The schedule was in quarantine.",
  lease_lost: "The process that fires schedules stopped, and another one took over after the tick.",
  clock_step: "The clock was set forward past the tick, or the machine or the process was suspended.",
  external_scheduler_silent: "The scheduler that owns it reported no run.",
  previous_not_started: "The engine had not started the run before.",
  late: "What fires it was late."
}

export const describeMisfire = (cause: MisfireCause, slots: number): string =>
  slots === 1
    ? details[cause]
    : `${details[cause]} ${slots}${slots === maxCountedTicks ? " or more" : ""} ticks were missed.`

/** A misfire of the schedule, found at `now`. */
export const makeMisfire = (
  id: string,
  { engine, id: schedule_id, kind, name, project_id }: Schedule,
  found: Pick<NewMisfire, "expected_fire_at" | "grace_seconds" | "slots" | "last_tick_at" | "cause" | "detail">,
  now: Timestamp
): NewMisfire => ({
  ...found,
  id,
  project_id,
  schedule_id,
  detected_at: now,
  lateness_seconds: secondsBetween(found.expected_fire_at, now),
  name,
  engine,
  kind
})
