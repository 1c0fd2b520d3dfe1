import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, UserNotificationId } from "../../../domain/kernel/Id.ts"
import { ListUserNotifications, UnreadCount, UserNotification } from "../../../domain/kernel/UserNotification.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup } from "../../Groups.ts"

const notificationId = pathParameter(
  "notification_id",
  caseInsensitiveId(UserNotificationId),
  "The notification's id.",
  exampleId
)

const [read, write] = ["notifications:read", "notifications:write"] as const

/** The caller's inbox (bodies: user-notifications). */
export class InboxApi extends actorGroup("inbox", "Notifications")
  .add(
    HttpApiEndpoint.get("list", "/user/notifications")
      .setUrlParams(ListUserNotifications)
      .addSuccess(Schema.Array(UserNotification))
      .annotate(Access, { caller: "authenticated", scope: read })
      .annotateContext(operation("List the inbox", "The caller's notifications, newest first."))
  )
  .add(
    HttpApiEndpoint.get("countUnread", "/user/notifications/unread-count")
      .addSuccess(UnreadCount)
      .annotate(Access, { caller: "authenticated", scope: read })
      .annotateContext(operation("Count unread notifications", "In the caller's inbox."))
  )
  .add(
    HttpApiEndpoint.post("read")`/user/notifications/${notificationId}/read`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "authenticated", scope: write, mutates: true })
      .annotateContext(operation("Mark a notification as read", "The time of the first reading remains."))
  )
  .add(
    HttpApiEndpoint.post("readAll", "/user/notifications/read-all")
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "authenticated", scope: write, mutates: true })
      .annotateContext(operation("Mark all notifications as read", "Of the caller's inbox."))
  )
{}
