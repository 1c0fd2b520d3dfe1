import type { Texts } from "../en.ts"

export const palette: Texts["palette"] = {
  label: "Ir a o ejecutar",
  failed: "No se pudo cargar la paleta",
  failedHint: "Vuelva a cargar la página. Es posible que svc se haya actualizado desde que la abrió.",
  placeholder: "Página, nombre o parte de un ID de tarea",
  searching: "Buscando tareas",
  nothing: "Sin coincidencias. Las tareas se buscan a partir de cuatro caracteres.",
  found: (count: string) => `Encontrados: ${count}`,
  copyId: "Copiar el ID de la tarea",
  copyIds: "Copiar los ID de las tareas seleccionadas",
  copyLink: "Copiar el enlace a la tarea",
  groups: {
    actions: "Seleccionado o abierto",
    pages: "Páginas",
    tasks: "Tareas",
    projects: "Proyectos",
    schedules: "Programaciones",
    queues: "Colas",
    workers: "Workers",
    agents: "Agentes"
  }
}
