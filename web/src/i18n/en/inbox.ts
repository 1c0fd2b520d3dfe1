export const inbox = {
  title: "Inbox",
  titleWith: (count: string) => `Inbox, ${count} unread`,
  unread: "unread",
  onlyUnread: "Unread only",
  markRead: "Mark as read",
  markOneRead: (title: string) => `Mark as read: ${title}`,
  markAllRead: "Mark all as read",
  none: "The inbox is empty",
  noneHint: "Alerts of your projects and of your subscriptions appear here as they begin, change and recover.",
  noneUnread: "Everything is read"
}
