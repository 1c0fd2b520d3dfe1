import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const maintenance: Texts["maintenance"] = {
  title: common.maintenanceWindows,
  create: "Nueva ventana",
  edit: common.editTitle,
  hint:
    "Mientras dura una ventana, las alertas se registran y no se envía ningún mensaje. Al terminar se envían las alertas que sigan abiertas.",
  name: common.name,
  state: common.status,
  states: { planned: "Planificada", lasts: common.active, ended: common.ended },
  startsAt: "Empieza",
  endsAt: "Termina",
  endHint: "Como máximo 30 días después del comienzo.",
  lasts: "Duración",
  actions: common.actions,
  actionOn: common.actionOn,
  none: "No hay ventanas de mantenimiento",
  noneHint: "Un administrador planifica una antes de un trabajo que causará alertas.",
  deleteTitle: common.deleteTitle,
  deleteHints: {
    planned: "Entonces los mensajes se envían como siempre.",
    lasts: "Termina de inmediato, y se envían las alertas abiertas.",
    ended: "Se quita de la lista. Las alertas y las entregas se conservan."
  }
}
