import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { AlertId, SubscriptionId, UserId } from "../../kernel/Id.ts"
import { Page } from "../../kernel/Page.ts"
import { pageQuery, wholeNumber } from "../../kernel/Query.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { Severity, Trigger } from "../../triggers/Trigger.ts"
import { Tallies } from "./Shared.ts"

/** One condition of one subscription, from its first event until it has ended. */
export const AlertStatus = Schema.Literal("open", "recovered", "stale", "closed")

const Text = Schema.NullOr(Schema.String)

/** The column `details` of `alerts`. All texts are masked already. */
export const AlertDetails = Schema.Struct({
  subject: Schema.Struct({ type: Schema.String, id: Schema.String, name: Schema.String }),
  engine: Text,
  task_name: Text,
  queue: Text,
  fingerprint: Text,
  /** Of the newest occurrence. */
  task_id: Text,
  worker: Text,
  detail: Text,
  tallies: Tallies,
  /** Whether it is about one task, because the subscription does not group. */
  is_single: Schema.Boolean,
  opened_at: Timestamp,
  first_sent_at: Schema.NullOr(Timestamp),
  told_occurrences: Schema.Int,
  told_shared: Schema.String,
  not_before: Schema.NullOr(Timestamp),
  /** When the newest occurrence was counted. The times of occurrences are those of the workers' clocks. */
  counted_at: Schema.optional(Timestamp),
  /** When an event reported its end. */
  ended_at: Schema.NullOr(Timestamp)
})
export type AlertDetails = typeof AlertDetails.Type

export const Alert = Schema.Struct({
  id: describeField(AlertId, "Its id.", exampleId),
  subscription_id: describeField(SubscriptionId, "Whose alert it is.", exampleId),
  is_personal: describeField(Schema.Boolean, "Whether it belongs to a subscription of the caller.", false),
  trigger: describeField(Trigger, "What the subscription reacts to.", "task.failed"),
  severity: describeField(Severity, "How serious the trigger is.", "error"),
  status: describeField(
    AlertStatus,
    "`open`; `recovered`: evidence shows that the problem ended; `stale`: no further occurrence came, and nothing shows that it ended; " +
      "`closed`: events of a trigger that reports no problem have ended.",
    "open"
  ),
  title: describeField(Schema.String, "What is wrong.", "shop.charge fails: CardDeclined"),
  shared: describeField(Schema.Array(Schema.String), "What its occurrences have in common.", ["all on worker w1"]),
  occurrences: describeField(Schema.Int, "How often it happened.", 120),
  messages: describeField(Schema.Int, "Messages sent about it.", 2),
  first_at: describeField(Timestamp, "When it first happened.", exampleTime),
  last_at: describeField(Timestamp, "When it last happened.", exampleTime),
  last_sent_at: describeField(Schema.NullOr(Timestamp), "When the last message was sent.", exampleTime),
  next_at: describeField(Schema.NullOr(Timestamp), "When the brain checks it again.", exampleTime),
  engine: describeField(Text, "The engine's name.", "celery"),
  task_name: describeField(Text, "The task's name.", "shop.charge"),
  task_id: describeField(Text, "The task of the last occurrence.", exampleId),
  queue: describeField(Text, "The queue of the last occurrence.", "payments"),
  worker: describeField(Text, "The worker of the last occurrence.", "celery@box"),
  exception: describeField(Text, "The exception text of the last occurrence.", "CardDeclined: do not honour"),
  fingerprint: describeField(Text, "The failure group.", "9f86d081884c7d65"),
  acknowledged_at: describeField(Schema.NullOr(Timestamp), "When a person acknowledged it.", exampleTime),
  acknowledged_by: describeField(
    Schema.NullOr(UserId),
    "Who did; null where `acknowledged_at` is set: by a signed link.",
    exampleId
  ),
  snoozed_until: describeField(Schema.NullOr(Timestamp), "No message about it is sent before.", exampleTime),
  escalated_at: describeField(Schema.NullOr(Timestamp), "When it was escalated.", exampleTime),
  ended_at: describeField(Schema.NullOr(Timestamp), "When it ended.", exampleTime)
}).annotations(describeBody("Alert", "One condition that a subscription reports."))
export type Alert = typeof Alert.Type

export const AlertList = Page(Alert).annotations(describeBody("AlertList", "A page of alerts."))

export const ListAlerts = Schema.Struct({
  status: describeField(Schema.optional(AlertStatus), "Only alerts with this status.", "open"),
  cursor: pageQuery.cursor,
  limit: describeField(Schema.optional(wholeNumber(1, 500)), "Rows of a page; 50 without it.", 50)
})
export type ListAlerts = typeof ListAlerts.Type

export const AcknowledgeAlert = Schema.Struct({
  acknowledged: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => true }),
    "False takes the acknowledgement back.",
    true
  )
}).annotations(describeBody("AcknowledgeAlert", "Whether a person takes care of it."))

export const SnoozeAlert = Schema.Struct({
  until: describeField(
    Schema.NullOr(Timestamp),
    "No message about it is sent before, at most 30 days from now; null ends a snooze.",
    exampleTime
  )
}).annotations(describeBody("SnoozeAlert", "For how long an alert is silent."))
