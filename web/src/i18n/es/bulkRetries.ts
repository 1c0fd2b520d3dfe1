import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { plural } from "./plural.ts"

export const bulkRetries: Texts["bulkRetries"] = {
  title: "Reintentos masivos",
  one: "Reintento masivo",
  singleCommands: "Comandos individuales",
  status: "Estado",
  phases: {
    running: "En curso",
    paused: "En pausa",
    cancelling: "Cancelado, a la espera de los últimos resultados",
    completed: "Completado",
    cancelled: "Cancelado",
    expired: "Caducado"
  },
  counts: {
    succeeded: "Reintentadas",
    failed: "No reintentadas",
    unknown: "Resultado desconocido",
    unobserved: "Omitidas",
    claimed: "Comando enviado",
    pending: "En espera"
  },
  countHints: {
    succeeded: "El agente ha confirmado el reintento.",
    failed: "El agente lo rechazó o falló.",
    unknown: "El comando se envió y no se sabe si se ejecutó.",
    unobserved: "La tarea ya no existe o ha cambiado, o su comando se canceló antes de enviarse.",
    claimed: "El comando se emitió y aún no tiene resultado.",
    pending: "Aún no se ha emitido ningún comando."
  },
  reasons: {
    task_deleted: "La tarea se eliminó.",
    task_changed: "La tarea tiene un estado distinto al del inicio del reintento.",
    task_retried: "Otro comando ha reintentado la tarea desde entonces.",
    command_cancelled: "Su comando se canceló antes de enviarse.",
    refused: "El motor no puede reintentar la tarea sin sus argumentos.",
    failed: "El agente lo rechazó o falló.",
    unconfirmed: "El comando se envió y su resultado se desconoce."
  },
  filter: "Filtro",
  facts: "Detalles",
  progress: "Progreso",
  ofTotal: (part: string, total: string) => `${part} de ${total}`,
  done: "Hechas",
  failed: "No reintentadas",
  created: "Iniciado",
  finished: "Terminado",
  lastProgress: "Último avance",
  deadline: "Límite",
  rate: "Ritmo",
  noRate: "Sin límite",
  perSecond: (rate: string) => `${rate} por segundo`,
  capped: (max: string) => `Coinciden más tareas. Solo se reintentan las ${max} más antiguas.`,
  tasks: "Tareas",
  allTasks: "Todas",
  task: "Tarea",
  reason: "Motivo",
  newTask: "Tarea nueva",
  ended: "Resultado",
  noItems: "Ninguna tarea tiene este resultado",
  none: "Aún no hay reintentos masivos",
  noneHint: "Abra un grupo de fallos o filtre la lista de tareas, y reintente todas sus tareas.",
  pause: "Pausar",
  resume: "Reanudar",
  cancel: "Cancelar el reintento",
  cancelQuestion: "¿Cancelar este reintento masivo?",
  cancelHint: (count: Count) =>
    plural(
      count,
      "# tarea no se reintentará. Los comandos enviados no se retiran. Un reintento cancelado no se puede reanudar.",
      "# tareas no se reintentarán. Los comandos enviados no se retiran. Un reintento cancelado no se puede reanudar."
    ),
  changeRate: "Cambiar el ritmo",
  rateField: "Reintentos por segundo",
  rateHint: "Vacío: sin límite.",
  rateResumes: "Vacío: sin límite. El reintento continúa de inmediato.",
  maxField: "Máximo de tareas",
  maxHint: (most: string) =>
    `Como máximo ${most}. Si coinciden más, se reintentan las más antiguas. Vacío: todas las que coinciden.`,
  matching: (count: Count) => plural(count, "# tarea que coincide", "# tareas que coinciden"),
  takes: (part: string, all: string) => `Las ${part} más antiguas de ${all} tareas que coinciden`,
  takesOfMore: (part: string, all: string) => `Las ${part} más antiguas de más de ${all} tareas que coinciden`,
  engineNote: (engine: string, count: string) => `${engine} (${count}):`,
  byName: "Por nombre",
  byException: "Por excepción",
  more: (count: string) => `${count} más`,
  start: "Iniciar el reintento"
}
