import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const bulkRetries: Texts["bulkRetries"] = {
  title: common.bulkRetries,
  one: common.bulkRetry,
  singleCommands: "Comandos individuales",
  status: common.status,
  phases: {
    running: common.running,
    paused: common.paused,
    cancelling: "Cancelado, a la espera de los últimos resultados",
    completed: common.completed,
    cancelled: common.cancelled,
    expired: "Caducado"
  },
  counts: {
    succeeded: "Reintentadas",
    failed: "No reintentadas",
    unknown: common.outcomeUnknown,
    unobserved: "Omitidas",
    claimed: "Comando enviado",
    pending: common.waiting
  },
  countHints: {
    succeeded: "El agente ha confirmado el reintento.",
    failed: "El agente lo rechazó o falló.",
    unknown: "El comando se envió y no se sabe si se ejecutó.",
    unobserved: "La tarea ya no existe o ha cambiado, o su comando se canceló antes de enviarse.",
    claimed: "El comando se emitió y aún no tiene resultado.",
    pending: "Aún no se ha emitido ningún comando."
  },
  outcomeTitle: "Resultado de las tareas reintentadas",
  outcomes: {
    succeeded: common.succeededTasks,
    failed: "Fallaron de nuevo",
    waiting: "Aún en espera",
    cancelled: "Canceladas",
    unknown: "Desconocido"
  },
  outcomeHints: {
    succeeded: "La tarea se completó, o lo hizo un reintento posterior.",
    failed: "La tarea volvió a fallar.",
    waiting: "La tarea espera o se está ejecutando.",
    cancelled: "La tarea se canceló o se rechazó.",
    unknown: "Ningún agente ha informado de la tarea en un día, se desconoce su final o se eliminó."
  },
  failedAgain: (count: Count) => plural(count, "# falló de nuevo", "# fallaron de nuevo"),
  showFailedAgain: "Mostrar las tareas que fallaron de nuevo",
  reasons: {
    task_deleted: "La tarea se eliminó.",
    task_changed: "La tarea tiene un estado distinto al del inicio del reintento.",
    task_retried: "Otro comando ha reintentado la tarea desde entonces.",
    command_cancelled: "Su comando se canceló antes de enviarse.",
    refused: "El motor no puede reintentar la tarea sin sus argumentos.",
    failed: "El agente lo rechazó o falló.",
    unconfirmed: "El comando se envió y su resultado se desconoce."
  },
  filter: common.filter,
  facts: common.details,
  progress: common.progress,
  ofTotal: common.ofTotal,
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
  tasks: common.tasks,
  allTasks: common.all,
  task: common.task,
  reason: common.reason,
  newTask: "Tarea nueva",
  noItems: "Ninguna tarea tiene este resultado",
  none: "Aún no hay reintentos masivos",
  noneHint: "Abra un grupo de fallos o filtre la lista de tareas, y reintente todas sus tareas.",
  pause: common.pause,
  resume: common.resume,
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
  matching: common.matchingTasks,
  takes: (part: string, all: string) => `Las ${part} más antiguas de ${all} tareas que coinciden`,
  takesOfMore: (part: string, all: string) => `Las ${part} más antiguas de más de ${all} tareas que coinciden`,
  engineNote: (engine: string, count: string) => `${engine} (${count}):`,
  byName: "Por nombre",
  byException: "Por excepción",
  more: common.more,
  start: "Iniciar el reintento"
}
