import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject:
    "Sie sind noch in keinem Projekt, und jedes Abonnement gehört zu einem Projekt. Bitten Sie einen Administrator, Sie hinzuzufügen."
}
