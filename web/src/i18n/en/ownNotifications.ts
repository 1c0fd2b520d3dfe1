export const ownNotifications = {
  title: "My notifications",
  parts: { subscriptions: "Subscriptions", channels: "My channels", deliveries: "Deliveries" },
  noProject:
    "You are not a member of a project, and a subscription belongs to one. Ask an admin of a project to add you."
}
