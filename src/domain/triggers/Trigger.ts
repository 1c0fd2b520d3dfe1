import { Schema } from "effect"
import { ProjectId } from "../kernel/Id.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** What a subscription, a default or an automation rule reacts to (interface, Notification triggers and Automation rule). */
export const Trigger = Schema.Literal(
  "task.failed",
  "task.succeeded",
  "task.retried",
  "task.retries_exhausted",
  "task.failure_rate",
  "task.orphaned",
  "failure_group.regressed",
  "agent.offline",
  "agent.online",
  "worker.offline",
  "schedule.misfired",
  "schedule.fire.succeeded",
  "schedule.fire.failed",
  "schedule.task_failed",
  "schedule.circuit_breaker.tripped",
  "approval.requested"
)
export type Trigger = typeof Trigger.Type

export const Severity = Schema.Literal("critical", "error", "warning", "info")
export type Severity = typeof Severity.Type

/** How serious the trigger is, where no channel overrides it (interface, dispatch rule 4). */
export const severities: Record<Trigger, Severity> = {
  "task.failed": "error",
  "task.succeeded": "info",
  "task.retried": "warning",
  "task.retries_exhausted": "error",
  "task.failure_rate": "error",
  "task.orphaned": "error",
  "failure_group.regressed": "error",
  "agent.offline": "error",
  "agent.online": "info",
  "worker.offline": "warning",
  "schedule.misfired": "warning",
  "schedule.fire.succeeded": "info",
  "schedule.fire.failed": "error",
  "schedule.task_failed": "error",
  "schedule.circuit_breaker.tripped": "critical",
  "approval.requested": "warning"
}

/**
 * Triggers that only a project's own subscriptions take: those about schedules (interface, Notification triggers), and
 * approvals, which are for the people whom its admins choose.
 */
export const isProjectTrigger = (trigger: Trigger): boolean =>
  trigger.startsWith("schedule.") || trigger === "approval.requested"

/** Triggers that report no problem: there is nothing to recover from, to acknowledge or to escalate. */
export const reportTriggers: ReadonlyArray<Trigger> = ["task.succeeded", "agent.online", "schedule.fire.succeeded"]

/** Triggers whose own service notifies the people who are responsible: alerts about them add nothing to these people's inboxes. */
export const hasOwnInboxNotice = (trigger: Trigger): boolean => trigger === "approval.requested"

/** One time that it happened. All texts are already masked and at most 300 characters. */
export const Occurrence = Schema.Struct({
  occurred_at: Timestamp,
  /** The engine's id of the task; null: the event is not about a task. */
  task_id: Schema.NullOr(Schema.String),
  worker: Schema.NullOr(Schema.String),
  /** The first line of the exception, or a sentence about what happened. */
  detail: Schema.NullOr(Schema.String),
  retry_count: Schema.NullOr(Schema.Int),
  runtime_ms: Schema.NullOr(Schema.Number)
})
export type Occurrence = typeof Occurrence.Type

/** Occurrences of one event. A burst of more becomes several events. */
export const maxOccurrences = 100

/**
 * Something that happened, once or several times in one transaction, with all that a filter or a condition can ask for.
 * Occurrences of one event share all of its other fields.
 */
export const TriggerEvent = Schema.Struct({
  project_id: ProjectId,
  trigger: Trigger,
  /**
   * The problem's id, the same each time that it occurs again: for a failed task its fingerprint, for an agent its id.
   * Different problems never have the same key.
   */
  condition: Schema.String,
  engine: Schema.NullOr(Schema.String),
  task_name: Schema.NullOr(Schema.String),
  queue: Schema.NullOr(Schema.String),
  priority: Schema.NullOr(Schema.String),
  /** The group of the failure (`domain/tasks/Failure/Fingerprint.ts`). */
  fingerprint: Schema.NullOr(Schema.String),
  /** What it is about: the id of its row, of a failure group its fingerprint, and its name. */
  subject: Schema.Struct({
    type: Schema.Literal("task", "failure_group", "agent", "worker", "schedule", "approval"),
    id: Schema.String,
    name: Schema.String
  }),
  occurrences: Schema.NonEmptyArray(Occurrence),
  /** True: the problem has ended. Ends the alert of this trigger and condition, and begins none. Rules do not get it. */
  recovered: Schema.optional(Schema.Boolean)
})
export type TriggerEvent = typeof TriggerEvent.Type

type KnownFields = "project_id" | "trigger" | "condition" | "subject"

/** An event with one occurrence. Fields that are left out are null. */
export const makeSingleEvent = (
  fields: Pick<TriggerEvent, KnownFields> & Partial<Omit<TriggerEvent, "occurrences">>,
  occurrence: Pick<Occurrence, "occurred_at" | "detail"> & Partial<Occurrence>
): TriggerEvent => ({
  engine: null,
  task_name: null,
  queue: null,
  priority: null,
  fingerprint: null,
  ...fields,
  occurrences: [{ task_id: null, worker: null, retry_count: null, runtime_ms: null, ...occurrence }]
})
