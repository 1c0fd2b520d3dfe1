import type { Texts } from "../en.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: "Meine Benachrichtigungen",
  parts: { subscriptions: "Abonnements", channels: "Meine Kanäle", deliveries: "Zustellungen" },
  noProject:
    "Sie sind in keinem Projekt Mitglied, und ein Abonnement gehört zu einem Projekt. Bitten Sie einen Admin, Sie hinzuzufügen."
}
