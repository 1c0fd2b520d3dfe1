import type { Texts } from "../en.ts"

export const exportJobs: Texts["exportJobs"] = {
  title: "Exportaciones",
  export: "Exportar",
  background: "Exportar en segundo plano…",
  question: "¿Exportar todas las tareas que coinciden?",
  hint:
    "El archivo se escribe en segundo plano, también después de cerrar la página. Se elimina SVC_EXPORT_JOBS_RETENTION_DAYS días después de terminar (7 por defecto).",
  matching: (count: string) => `Tareas que coinciden: ${count}`,
  moreMatching: (count: string) => `Tareas que coinciden: al menos ${count}`,
  start: "Iniciar la exportación",
  format: "Formato",
  formats: { csv: "CSV", json: "JSON", xlsx: "Excel (25.000 filas como máximo)" },
  status: "Estado",
  statuses: { pending: "En espera", running: "Escribiéndose", completed: "Completada", failed: "Fallida" },
  rows: "Filas",
  ofTotal: (part: string, total: string) => `${part} de ${total}`,
  size: "Tamaño",
  bytes: (count) => `${count} kB`,
  progress: (rows: string, size: string) => `${rows} filas, ${size}`,
  by: "De",
  created: "Solicitada",
  truncated: "Solo contiene las filas más recientes: coinciden más de las que caben en un archivo.",
  hidden: "Muestra argumentos y resultados que no puede ver.",
  download: "Descargar",
  remove: "Eliminar",
  removeName: (created: string) => `Eliminar la exportación del ${created}`,
  removeQuestion: "¿Eliminar esta exportación?",
  removeHint: "Su archivo ya no se podrá descargar. Una exportación en curso se detiene.",
  begun: "Exportando tareas",
  ready: "La exportación está lista",
  failed: "La exportación ha fallado",
  see: "Ver las exportaciones",
  none: "Todavía no hay exportaciones",
  noneHint:
    "Elija «Exportar en segundo plano…» encima de la lista de tareas. Un archivo se elimina SVC_EXPORT_JOBS_RETENTION_DAYS días después de terminar (7 por defecto)."
}
