import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const keys: Texts["keys"] = {
  title: "Atajos de teclado",
  places: {
    everywhere: "En todas partes",
    tasks: "En la lista de tareas",
    task: "Sobre las tareas seleccionadas o, si no las hay, sobre la enfocada o la abierta"
  },
  go: "Ir a una página",
  does: {
    palette: "Abrir la paleta, también al escribir",
    help: "Mostrar los atajos de teclado",
    search: "Ir al filtro o, si no lo hay, abrir la paleta",
    next: "Tarea siguiente",
    previous: "Tarea anterior",
    open: common.openTheTask,
    select: "Seleccionar la tarea",
    retry: "Reintentar (con confirmación)",
    cancel: "Cancelar (con confirmación)"
  }
}
