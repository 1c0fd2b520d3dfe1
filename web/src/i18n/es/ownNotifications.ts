import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject:
    "Todavía no está en ningún proyecto, y cada suscripción pertenece a uno. Pida a un administrador que le añada.",
  browser: {
    show: "Mostrar notificaciones en este navegador",
    hint:
      "Mientras svc esté abierto en una pestaña y usted mire otra cosa, aparecen los mensajes nuevos de su bandeja.",
    denied:
      "El navegador las bloquea. Permita las notificaciones de esta dirección en los ajustes de sitios del navegador.",
    unsupported: "Este navegador no puede mostrarlas aquí. Hacen falta HTTPS y un navegador con notificaciones."
  }
}
