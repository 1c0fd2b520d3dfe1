import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "./Describe.ts"
import { Id, ProjectId, UserNotificationId } from "./Id.ts"
import { QueryBoolean, wholeNumber } from "./Query.ts"
import { Timestamp } from "./Timestamp.ts"

/** A row of a user's inbox (bodies: UserNotificationPublic). */
export const UserNotification = Schema.Struct({
  id: describeField(UserNotificationId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project that it is about.", exampleId),
  subscription_id: describeField(Schema.NullOr(Id), "The subscription that caused it.", exampleId),
  alert_id: describeField(Schema.NullOr(Id), "The alert that it belongs to.", exampleId),
  trigger: describeField(Schema.String, "What it reports.", "task.failed"),
  reason: describeField(Schema.String, "Why the user gets it.", "subscription"),
  title: describeField(Schema.String, "One line.", "shop.charge fails with CardDeclined"),
  body: describeField(Schema.NullOr(Schema.String), "The text.", "It failed 3 times since 09:26."),
  data: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "Facts for programs.",
    { task_name: "shop.charge" }
  ),
  read_at: describeField(Schema.NullOr(Timestamp), "When the user read it; null: unread.", exampleTime),
  created_at: describeField(Timestamp, "When it arrived.", exampleTime)
}).annotations(describeBody("UserNotification", "A row of a user's inbox."))
export type UserNotification = typeof UserNotification.Type

export const ListUserNotifications = Schema.Struct({
  unread_only: describeField(Schema.optional(QueryBoolean), "Only unread ones.", true),
  cursor: describeField(
    Schema.optional(Schema.String),
    "The header `X-SVC-Next-Cursor` of the page before.",
    "WyJyb3dzIiwiMDE5OWMwZGUiXQ"
  ),
  limit: describeField(Schema.optional(wholeNumber(1, 200)), "The most rows of a page.", 50)
})
export type ListUserNotifications = typeof ListUserNotifications.Type

export const UnreadCount = Schema.Struct({
  unread: describeField(Schema.Int, "Unread notifications, counted up to 10 000.", 3)
}).annotations(describeBody("UnreadCount", "How many notifications are unread."))
