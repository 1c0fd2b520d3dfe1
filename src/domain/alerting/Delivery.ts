import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { caseInsensitiveId, DeliveryId, Id, IdInput, ProjectId, UserId } from "../kernel/Id.ts"
import { Page } from "../kernel/Page.ts"
import { pageQuery, QueryTimestamp, wholeNumber } from "../kernel/Query.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { NotificationTrigger } from "./Notification.ts"

/** `suppressed`: not sent, because its channel was deleted or is not active, or its owner may not get it any more. */
export const DeliveryStatus = Schema.Literal("pending", "sent", "failed", "suppressed")

const deliveryFields = {
  id: describeField(DeliveryId, "Its id, and the `webhook-id` of each of its attempts.", exampleId),
  project_id: describeField(Schema.NullOr(ProjectId), "The project that it is about.", exampleId),
  subscription_id: describeField(Schema.NullOr(Id), "The subscription that caused it.", exampleId),
  channel_id: describeField(Schema.NullOr(Id), "The project's channel.", exampleId),
  user_channel_id: describeField(Schema.NullOr(Id), "The personal channel.", exampleId),
  channel_name: describeField(Schema.String, "The channel's name at that time.", "ops"),
  channel_type: describeField(Schema.String, "The channel's type.", "webhook"),
  alert_id: describeField(Schema.NullOr(Id), "The alert that it belongs to.", exampleId),
  trigger: describeField(Schema.String, "What it reports.", "task.failed"),
  task_id: describeField(Schema.NullOr(Schema.String), "The engine's id of the task.", "b7f3"),
  task_name: describeField(Schema.NullOr(Schema.String), "The task's name.", "shop.charge"),
  status: describeField(DeliveryStatus, "Where it is.", "sent"),
  attempts: describeField(Schema.Int, "Attempts that have ended.", 1),
  next_attempt_at: describeField(
    Schema.NullOr(Timestamp),
    "When a pending one is sent next, or its current attempt is given up.",
    exampleTime
  ),
  response_code: describeField(Schema.NullOr(Schema.Int), "The HTTP status of the last attempt.", 200),
  error: describeField(Schema.NullOr(Schema.String), "Why the last attempt failed.", "it answered 503"),
  sent_at: describeField(
    Timestamp,
    "When its last attempt began; before the first, when it was enqueued.",
    exampleTime
  ),
  created_at: describeField(Timestamp, "When it was enqueued.", exampleTime),
  resend_of: describeField(
    Schema.NullOr(DeliveryId),
    "The delivery that a person sent again with this one.",
    exampleId
  ),
  triggered_by_user_id: describeField(Schema.NullOr(UserId), "The person who tested or resent.", exampleId),
  triggered_by_email: describeField(Schema.NullOr(Schema.String), "Their e-mail address.", "ops@example.com")
}

/** One message to one channel (bodies: DeliveryPublic). */
export const Delivery = Schema.Struct(deliveryFields).annotations(
  describeBody("Delivery", "One message to one channel.")
)
export type Delivery = typeof Delivery.Type

export const DeliveryList = Page(Delivery).annotations(describeBody("DeliveryList", "Deliveries, newest first."))

export const DeliveryAttempt = Schema.Struct({
  number: describeField(Schema.Int, "1 for the first one.", 1),
  started_at: describeField(Timestamp, "When it began.", exampleTime),
  duration_ms: describeField(Schema.Int, "How long it took.", 87),
  response_code: describeField(Schema.NullOr(Schema.Int), "The HTTP status of the response.", 503),
  error: describeField(Schema.NullOr(Schema.String), "Why it failed.", "it answered 503"),
  response_body: describeField(Schema.NullOr(Schema.String), "The first 8 KiB of the response.", "try later")
}).annotations(describeBody("DeliveryAttempt", "One attempt of a delivery."))
export type DeliveryAttempt = typeof DeliveryAttempt.Type

export const DeliveryDetail = Schema.Struct({
  ...deliveryFields,
  title: describeField(Schema.String, "The message's title.", "shop.charge fails with CardDeclined"),
  text: describeField(Schema.String, "The message's text.", "It failed 3 times since 09:26."),
  attempt_list: describeField(Schema.Array(DeliveryAttempt), "Its attempts, the first one first.")
}).annotations(describeBody("DeliveryDetail", "A delivery with its attempts."))
export type DeliveryDetail = typeof DeliveryDetail.Type

export const ListDeliveries = Schema.Struct({
  cursor: pageQuery.cursor,
  limit: describeField(Schema.optional(wholeNumber(1, 500)), "Rows of a page.", 50),
  status: describeField(Schema.optional(DeliveryStatus), "Those with this status.", "failed"),
  channel_id: describeField(Schema.optional(IdInput), "Those to this channel.", exampleId),
  trigger: describeField(Schema.optional(NotificationTrigger), "Those that report this.", "task.failed"),
  alert_id: describeField(Schema.optional(IdInput), "Those of this alert.", exampleId)
})
export type ListDeliveries = typeof ListDeliveries.Type

export const ListUserDeliveries = Schema.Struct({
  ...ListDeliveries.fields,
  project_slug: describeField(Schema.optional(text(63)), "Those about this project.", "shop")
})
export type ListUserDeliveries = typeof ListUserDeliveries.Type

export const ClearDeliveries = Schema.Struct({
  before: describeField(
    Schema.optional(QueryTimestamp),
    "Only those that were enqueued before this time.",
    exampleTime
  )
})

export const ClearDeliveriesResult = Schema.Struct({
  deleted: describeField(Schema.Int, "How many were deleted.", 120)
}).annotations(describeBody("ClearDeliveriesResult", "How many deliveries were deleted."))

export const deliveryIdInPath = caseInsensitiveId(DeliveryId)
