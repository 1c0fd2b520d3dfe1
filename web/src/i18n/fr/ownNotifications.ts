import type { Texts } from "../en.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: "Mes notifications",
  parts: { subscriptions: "Abonnements", channels: "Mes canaux", deliveries: "Envois" },
  noProject:
    "Vous ne faites encore partie d’aucun projet, et chaque abonnement appartient à un projet. Demandez à un administrateur de vous ajouter."
}
