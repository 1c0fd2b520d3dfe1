import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject:
    "Vous ne faites encore partie d’aucun projet, et chaque abonnement appartient à un projet. Demandez à un administrateur de vous ajouter."
}
