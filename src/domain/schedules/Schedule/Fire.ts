import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { CommandId, FireRowId, Id, ScheduleId, UserId } from "../../kernel/Id.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"

/** interface, Schedule fire statuses. */
export const fireStatuses = [
  "pending",
  "accepted",
  "delivered",
  "buffered",
  "buffer_stale",
  "buffer_expired",
  "acked_success",
  "acked_failed",
  "failed",
  "operator_skipped",
  "terminal_completed",
  "terminal_failed",
  "terminal_cancelled",
  "terminal_timeout"
] as const
export const FireStatus = Schema.Literal(...fireStatuses)
export type FireStatus = typeof FireStatus.Type

/** Statuses of a fire that something still moves. All others are final. */
export const liveFireStatuses = ["pending", "accepted", "delivered", "buffered"] as const satisfies ReadonlyArray<
  FireStatus
>

/** The newest fires of a schedule that the circuit breaker counts (interface, Limits). */
export const breakerWindow = 20

/** Statuses of a fire whose task was not submitted, as the brain or its agent has reported, perhaps late. */
export const failedFireStatuses: ReadonlySet<FireStatus> = new Set(["failed", "acked_failed", "terminal_failed"])

/**
 * Failed fires in a row, newest first. A fire without an outcome, or with an unknown one, neither counts nor ends the
 * row (interface, Schedule enablement, hold and breaker).
 */
export const countConsecutiveFailures = (statuses: Iterable<FireStatus>): number => {
  let failures = 0
  for (const status of statuses) {
    if (failedFireStatuses.has(status)) failures++
    else if (status === "acked_success" || status === "terminal_completed") break
  }
  return failures
}

/** A fire as people see it (bodies: ScheduleFirePublic). */
export const ScheduleFire = Schema.Struct({
  id: describeField(FireRowId, "Its id.", exampleId),
  fire_id: describeField(
    Id,
    "The idempotency key of schedule and tick: one fire has it.",
    "5f0c7a52-3c1e-5b0a-9d57-0d9f2b3b7c11"
  ),
  schedule_id: describeField(ScheduleId, "The schedule's id.", exampleId),
  command_id: describeField(Schema.NullOr(CommandId), "The command that submits the task; null: not yet.", exampleId),
  status: describeField(
    Schema.String.annotations({ jsonSchema: { type: "string", enum: fireStatuses } }),
    "How far it has come.",
    "acked_success"
  ),
  scheduled_for: describeField(Timestamp, "Its tick.", exampleTime),
  fired_at: describeField(Timestamp, "When the brain recorded it.", exampleTime),
  acked_at: describeField(Schema.NullOr(Timestamp), "When the agent reported its outcome; null: not yet.", exampleTime),
  latency_ms: describeField(Schema.NullOr(Schema.Int), "Milliseconds from dispatch to the agent's report.", 12),
  error_code: describeField(Schema.NullOr(Schema.String), "Why it failed, as a word.", null),
  error_message: describeField(Schema.NullOr(Schema.String), "Why it failed, as a sentence.", null),
  triggered_by_user_id: describeField(Schema.NullOr(UserId), "The user who triggered it; null: its tick did.", null)
}).annotations(describeBody("ScheduleFire", "One tick of a schedule that fired."))
export type ScheduleFire = typeof ScheduleFire.Type

const { fire_id, fired_at, latency_ms, scheduled_for, status } = ScheduleFire.fields

/** A fire in the summary of several schedules (bodies: ScheduleRunCell). */
export const ScheduleRun = Schema.Struct({ fire_id, status, scheduled_for, fired_at, latency_ms }).annotations(
  describeBody("ScheduleRun", "A fire, in short.")
)

export const ScheduleRuns = Schema.Struct({
  items: describeField(
    Schema.Array(
      Schema.Struct({
        schedule_id: describeField(ScheduleId, "The schedule's id.", exampleId),
        runs: describeField(Schema.Array(ScheduleRun), "Its newest fires, newest first.")
      }).annotations(describeBody("ScheduleRunsRow", "The newest fires of a schedule."))
    ),
    "One row for each requested schedule of the project."
  ),
  limit: describeField(Schema.Int, "The most fires of a schedule.", 20),
  circuit_breaker_threshold: describeField(Schema.Int, "Failed fires in a row that disable a schedule; 0: never.", 5)
}).annotations(describeBody("ScheduleRuns", "The newest fires of several schedules."))
