import type { Texts } from "../en.ts"

export const bulkJobs: Texts["bulkJobs"] = {
  title: "Trabajos masivos",
  actions: { delete: "Eliminar", cancel: "Cancelar" },
  begun: { delete: "Eliminando tareas", cancel: "Cancelando tareas" },
  ended: { delete: "La eliminación ha terminado", cancel: "La cancelación ha terminado" },
  statuses: { running: "En curso", completed: "Completado", stopped: "Detenido" },
  what: "Acción",
  filter: "Filtro",
  everyTask: "Todas las tareas",
  status: "Estado",
  progress: "Progreso",
  ofTotal: (part: string, total: string) => `${part} de ${total}`,
  done: "Hecho",
  parts: {
    pending: (count: string) => `Sin resultado: ${count}`,
    failed: (count: string) => `Fallidas: ${count}`,
    unknown: (count: string) => `Resultado desconocido: ${count}`,
    skipped: (count: string) => `Omitidas: ${count}`
  },
  by: "Por",
  created: "Iniciado",
  action: "Acciones",
  none: "Aún no hay trabajos masivos",
  noneHint: "Seleccione tareas en la lista, o todas las que coinciden, y elimínelas o cancélelas.",
  stop: "Detener",
  stopQuestion: "¿Detener este trabajo?",
  stopHint:
    "Las tareas restantes quedan como están. Los comandos emitidos continúan. Un trabajo detenido no se puede reanudar.",
  cancelQuestion: "¿Cancelar todas las tareas que coinciden?",
  toCancel: (count: string) => `Tareas que no han terminado: ${count}`,
  moreToCancel: (count: string) => `Tareas que no han terminado: al menos ${count}`,
  endedLeftOut: (count: string) => `Excluidas, porque ya han terminado: ${count}`,
  cancelHint: "Cada una recibe su propio comando. El trabajo continúa si cierras la página.",
  see: "Ver los trabajos masivos"
}
