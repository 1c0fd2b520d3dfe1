import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { ScheduleId } from "../../kernel/Id.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"

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
