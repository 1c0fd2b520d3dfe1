import { Schema } from "effect"
import { Id, ProjectId } from "../kernel/Id.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { Severity, Trigger } from "../triggers/Trigger.ts"

/**
 * Why a message is sent: a condition is new; it lasts; it has recovered; a person acknowledged it; it was not
 * acknowledged in time; a channel fails or was disabled; a person tests a channel.
 */
export const NotificationKind = Schema.Literal(
  "alert",
  "update",
  "recovered",
  "acknowledged",
  "escalation",
  "notice",
  "test"
)
export type NotificationKind = typeof NotificationKind.Type

/** `test.dispatch` for a test, `channel.failing` and `channel.disabled` for a notice, else the trigger of the alert. */
export const NotificationTrigger = Schema.Union(
  Trigger,
  Schema.Literal("test.dispatch", "channel.failing", "channel.disabled")
)
export type NotificationTrigger = typeof NotificationTrigger.Type

/** A message before any channel's own form. All texts are masked already. Kept as JSON in its delivery. */
export const Notification = Schema.Struct({
  kind: NotificationKind,
  trigger: NotificationTrigger,
  severity: Severity,
  /** Null for a personal channel's test or notice. */
  project: Schema.NullOr(Schema.Struct({ id: ProjectId, slug: Schema.String, name: Schema.String })),
  /** One line that names the condition, such as `shop.charge fails with CardDeclined`. */
  title: Schema.String,
  /** How often it happened, since when, and what the occurrences share. */
  text: Schema.String,
  facts: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  /** The same for all messages of one condition, at most 64 characters: an incident provider's dedup key, a mail's thread. */
  dedup_key: Schema.String,
  alert_id: Schema.NullOr(Id),
  /** Times that it happened since the alert began. */
  occurrences: Schema.Int,
  first_at: Timestamp,
  last_at: Timestamp,
  engine: Schema.NullOr(Schema.String),
  task_id: Schema.NullOr(Schema.String),
  task_name: Schema.NullOr(Schema.String),
  queue: Schema.NullOr(Schema.String),
  worker: Schema.NullOr(Schema.String),
  exception: Schema.NullOr(Schema.String),
  fingerprint: Schema.NullOr(Schema.String),
  links: Schema.Struct({
    /**
     * The page of the dashboard that the message is about. Without a dashboard the alert in the API, and null for other
     * messages.
     */
    view: Schema.NullOr(Schema.String),
    /** Pages that ask for a click before they change the alert (signed, expiring). */
    acknowledge: Schema.NullOr(Schema.String),
    snooze: Schema.NullOr(Schema.String)
  })
})
export type Notification = typeof Notification.Type

/** What a message about a channel itself, a test or a notice, has none of: no alert and no task. */
export const aboutChannel = {
  alert_id: null,
  engine: null,
  task_id: null,
  task_name: null,
  queue: null,
  worker: null,
  exception: null,
  fingerprint: null,
  links: { view: null, acknowledge: null, snooze: null }
} as const satisfies Partial<Notification>
