export const ownNotifications = {
  title: "My notifications",
  parts: { subscriptions: "Subscriptions", channels: "My channels", deliveries: "Deliveries" },
  noProject:
    "You aren't in any project yet, and every subscription belongs to a project. Ask an admin to add you to one."
}
