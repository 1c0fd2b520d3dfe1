import { common } from "./common.ts"

export const ownNotifications = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject:
    "You aren't in any project yet, and every subscription belongs to a project. Ask an admin to add you to one."
}
