import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const bulkJobs: Texts["bulkJobs"] = {
  title: common.bulkJobs,
  actions: { delete: "Eliminar", cancel: "Cancelar" },
  begun: { delete: "Eliminando tareas", cancel: "Cancelando tareas" },
  ended: { delete: "Eliminación terminada", cancel: "Cancelación terminada" },
  statuses: { running: common.running, completed: "Completado", stopped: "Detenido" },
  what: "Acción",
  filter: common.filter,
  everyTask: "Todas las tareas",
  hiddenQuery: "Tiene condiciones sobre argumentos o resultados que su rol no puede ver.",
  status: common.status,
  progress: common.progress,
  ofTotal: common.ofTotal,
  done: "Hecho",
  parts: {
    pending: (count: Count) => `${count.text} sin resultado`,
    failed: (count: Count) => `${count.text} con error`,
    unknown: (count: Count) => `${count.text} con resultado desconocido`,
    skipped: (count: Count) => plural(count, "# omitida", "# omitidas")
  },
  by: common.by,
  created: "Iniciado",
  action: common.actions,
  none: "Aún no hay trabajos masivos",
  noneHint: "Seleccione tareas en la lista, o todas las que coinciden, y elimínelas o cancélelas.",
  stop: "Detener",
  stopQuestion: "¿Detener este trabajo?",
  stopHint:
    "Las tareas restantes quedan como están. Los comandos emitidos continúan. Un trabajo detenido no se puede reanudar.",
  cancelQuestion: "¿Cancelar todas las tareas que coinciden?",
  toCancel: (count: Count) => plural(count, "# tarea sin terminar", "# tareas sin terminar"),
  moreToCancel: (count: Count) => plural(count, "Al menos # tarea sin terminar", "Al menos # tareas sin terminar"),
  endedLeftOut: (count: Count) => plural(count, "# ya ha terminado y se omite", "# ya han terminado y se omiten"),
  cancelHint: "Cada una recibe su propio comando. El trabajo continúa si cierra la página.",
  see: "Ver los trabajos masivos"
}
