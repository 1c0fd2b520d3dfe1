import type { Texts } from "../en.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: "Mis notificaciones",
  parts: { subscriptions: "Suscripciones", channels: "Mis canales", deliveries: "Entregas" },
  noProject:
    "Todavía no está en ningún proyecto, y cada suscripción pertenece a uno. Pida a un administrador que le añada."
}
