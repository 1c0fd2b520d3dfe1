import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const palette: Texts["palette"] = {
  label: "Ir a o ejecutar",
  placeholder: "Página, nombre o parte de un ID de tarea",
  searching: "Buscando tareas",
  nothing: "Sin coincidencias.",
  tooShort: "Escriba al menos cuatro caracteres para buscar tareas.",
  noProject: "Abra un proyecto para buscar sus tareas.",
  searchedBack: (time: string) => `No se buscó en las tareas anteriores a ${time}.`,
  found: (count: Count) => plural(count, "# encontrado", "# encontrados"),
  copyId: "Copiar el ID de la tarea",
  copyIds: "Copiar los ID de las tareas seleccionadas",
  copyLink: "Copiar el enlace a la tarea",
  groups: {
    actions: "Seleccionado o abierto",
    pages: "Páginas",
    tasks: common.tasks,
    names: "Nombres de tareas",
    failures: common.failures,
    projects: common.projects,
    schedules: common.schedules,
    rules: "Reglas de automatización",
    queues: common.queues,
    workers: common.workers,
    agents: common.agents
  }
}
