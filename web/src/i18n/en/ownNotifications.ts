import { common } from "./common.ts"

export const ownNotifications = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject:
    "You aren't in any project yet, and every subscription belongs to a project. Ask an admin to add you to one.",
  browser: {
    show: "Show notifications in this browser",
    hint: "While svc is open in a tab and you look at something else, new messages of your inbox appear.",
    denied: "The browser blocks them. Allow notifications for this address in the browser's site settings.",
    unsupported: "This browser can't show them here. They need HTTPS and a browser with notifications."
  }
}
