import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const inbox = {
  title: common.inbox,
  titleWith: (count: Count) => `Inbox, ${count.text} unread`,
  unread: "unread",
  onlyUnread: "Unread only",
  markRead: "Mark as read",
  markOneRead: (title: string) => `Mark as read: ${title}`,
  markAllRead: "Mark all as read",
  none: "The inbox is empty",
  noneHint: "Alerts of your projects and subscriptions appear here when they open, change and recover.",
  noneUnread: "Nothing unread"
}
