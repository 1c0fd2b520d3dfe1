import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject:
    "Sie sind noch in keinem Projekt, und jedes Abonnement gehört zu einem Projekt. Bitten Sie einen Administrator, Sie hinzuzufügen.",
  browser: {
    show: "Benachrichtigungen in diesem Browser anzeigen",
    hint:
      "Solange svc in einem Tab offen ist und Sie etwas anderes ansehen, erscheinen neue Nachrichten des Posteingangs.",
    denied:
      "Der Browser blockiert sie. Erlauben Sie Benachrichtigungen für diese Adresse in den Website-Einstellungen des Browsers.",
    unsupported: "Dieser Browser kann sie hier nicht anzeigen. Nötig sind HTTPS und ein Browser mit Benachrichtigungen."
  }
}
