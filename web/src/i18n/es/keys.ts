import type { Texts } from "../en.ts"

export const keys: Texts["keys"] = {
  title: "Teclas",
  places: {
    everywhere: "En todas partes",
    tasks: "En la lista de tareas",
    task: "Sobre las tareas seleccionadas o, si no las hay, sobre la enfocada o la abierta"
  },
  go: "Ir a una página",
  does: {
    palette: "Abrir la paleta, también al escribir",
    help: "Mostrar las teclas",
    search: "Ir al filtro",
    next: "Tarea siguiente",
    previous: "Tarea anterior",
    open: "Abrir la tarea",
    select: "Seleccionar la tarea",
    retry: "Reintentar, tras confirmar",
    cancel: "Cancelar, tras confirmar"
  }
}
