import type { Texts } from "../en.ts"

export const palette: Texts["palette"] = {
  label: "Ir a o ejecutar",
  failed: "No se pudo cargar la paleta",
  failedHint: "Vuelva a cargar la página. Es posible que svc se haya actualizado desde que la abrió.",
  placeholder: "Página, nombre o parte de un ID de tarea",
  searching: "Buscando tareas",
  nothing: "Sin coincidencias.",
  tooShort: "Las tareas se buscan a partir de cuatro caracteres.",
  noProject: "Abra un proyecto para buscar sus tareas.",
  searchedBack: (time: string) => `No se buscó en las tareas anteriores a ${time}.`,
  found: (count: string) => `Encontrados: ${count}`,
  copyId: "Copiar el ID de la tarea",
  copyIds: "Copiar los ID de las tareas seleccionadas",
  copyLink: "Copiar el enlace a la tarea",
  groups: {
    actions: "Seleccionado o abierto",
    pages: "Páginas",
    tasks: "Tareas",
    failures: "Fallos",
    projects: "Proyectos",
    schedules: "Programaciones",
    rules: "Reglas de automatización",
    queues: "Colas",
    workers: "Workers",
    agents: "Agentes"
  }
}
