import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const exportJobs: Texts["exportJobs"] = {
  title: common.exports,
  export: common.export,
  background: "Exportar en segundo plano…",
  question: "¿Exportar todas las tareas que coinciden?",
  hint:
    "El archivo se escribe en segundo plano, también después de cerrar la página. Se conserva 7 días, salvo que el administrador del servidor haya fijado otro plazo.",
  matching: common.matchingTasks,
  moreMatching: (count: Count) => plural(count, "Al menos # tarea que coincide", "Al menos # tareas que coinciden"),
  start: "Iniciar la exportación",
  format: "Formato",
  formats: { csv: "CSV", json: "JSON", xlsx: "Excel (25.000 filas como máximo)" },
  status: common.status,
  statuses: { pending: common.waiting, running: "Escribiéndose", completed: "Completada", failed: common.failed },
  rows: "Filas",
  ofTotal: common.ofTotal,
  size: common.size,
  bytes: (count) => `${count} kB`,
  progress: (rows: string, size: string) => `${rows} filas, ${size}`,
  by: common.by,
  created: "Solicitada",
  truncated: "Solo contiene las filas más recientes: coinciden más de las que caben en un archivo.",
  hidden: "Muestra argumentos y resultados que su rol no puede ver.",
  download: common.download,
  remove: common.delete,
  removeName: (created: string) => `Eliminar la exportación del ${created}`,
  removeQuestion: "¿Eliminar esta exportación?",
  removeHint: "Su archivo ya no se podrá descargar. Una exportación en curso se detiene.",
  begun: "Exportando tareas",
  ready: "Exportación lista",
  failed: "Exportación fallida",
  see: "Ver las exportaciones",
  none: "Todavía no hay exportaciones",
  noneHint:
    "Elija «Exportar en segundo plano…» encima de la lista de tareas. Los archivos se conservan 7 días, salvo que el administrador del servidor haya fijado otro plazo."
}
