import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject:
    "Todavía no está en ningún proyecto, y cada suscripción pertenece a uno. Pida a un administrador que le añada."
}
