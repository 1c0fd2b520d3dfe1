import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject:
    "Vous ne faites encore partie d’aucun projet, et chaque abonnement appartient à un projet. Demandez à un administrateur de vous ajouter.",
  browser: {
    show: "Afficher les notifications dans ce navigateur",
    hint:
      "Tant que svc est ouvert dans un onglet et que vous regardez autre chose, les nouveaux messages de votre boîte de réception apparaissent.",
    denied:
      "Le navigateur les bloque. Autorisez les notifications de cette adresse dans les paramètres de sites du navigateur.",
    unsupported: "Ce navigateur ne peut pas les afficher ici. Il faut HTTPS et un navigateur qui a des notifications."
  }
}
