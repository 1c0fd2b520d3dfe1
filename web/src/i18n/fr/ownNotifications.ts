import type { Texts } from "../en.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: "Mes notifications",
  parts: { subscriptions: "Abonnements", channels: "Mes canaux", deliveries: "Envois" },
  noProject:
    "Vous n’êtes membre d’aucun projet, et un abonnement appartient à un projet. Demandez à un administrateur de vous ajouter."
}
