import type { Texts } from "../en.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: "Meine Benachrichtigungen",
  parts: { subscriptions: "Abonnements", channels: "Meine Kanäle", deliveries: "Zustellungen" },
  noProject:
    "Sie sind noch in keinem Projekt, und jedes Abonnement gehört zu einem Projekt. Bitten Sie einen Administrator, Sie hinzuzufügen."
}
