import type { Texts } from "../en.ts"

export const maintenance: Texts["maintenance"] = {
  title: "Ventanas de mantenimiento",
  create: "Nueva ventana",
  edit: (name: string) => `Cambiar ${name}`,
  hint:
    "Mientras dura una ventana, las alertas se registran y no se envía ningún mensaje. Al terminar se envían las alertas que sigan abiertas.",
  name: "Nombre",
  state: "Estado",
  states: { planned: "Planificada", lasts: "Activa", ended: "Terminada" },
  startsAt: "Empieza",
  endsAt: "Termina",
  endHint: "Como máximo 30 días después del comienzo.",
  lasts: "Duración",
  actions: "Acciones",
  actionOn: (action: string, name: string) => `${action}: ${name}`,
  none: "No hay ventanas de mantenimiento",
  noneHint: "Un administrador planifica una antes de un trabajo que causará alertas.",
  deleteTitle: (name: string) => `Eliminar ${name}`,
  deleteHints: {
    planned: "Entonces los mensajes se envían como siempre.",
    lasts: "Termina de inmediato, y se envían las alertas abiertas.",
    ended: "Se quita de la lista. Las alertas y las entregas se conservan."
  }
}
