import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const inbox: Texts["inbox"] = {
  title: common.inbox,
  titleWith: (count: Count) => `Bandeja de entrada, ${count.text} sin leer`,
  unread: "sin leer",
  onlyUnread: "Solo sin leer",
  markRead: "Marcar como leída",
  markOneRead: (title: string) => `Marcar como leída: ${title}`,
  markAllRead: "Marcar todas como leídas",
  none: "La bandeja está vacía",
  noneHint: "Aquí aparecen las alertas de sus proyectos y suscripciones cuando empiezan, cambian y se recuperan.",
  noneUnread: "Nada sin leer"
}
