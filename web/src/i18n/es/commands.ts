import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const commands: Texts["commands"] = {
  title: common.commands,
  action: common.action,
  target: common.target,
  agent: common.agent,
  status: common.outcome,
  issued: "Emitido",
  took: common.took,
  error: common.error,
  none: "Aún no hay comandos",
  noneOfStatus: "Ningún comando con este resultado",
  noneHint: "Reintente o cancele una tarea y siga aquí su comando.",
  statuses: {
    pending: common.pending,
    dispatched: "Entregado",
    completed: common.completed,
    failed: common.failed,
    timeout: common.outcomeUnknown,
    cancelled: common.cancelled
  },
  statusHelp: "Qué significan los resultados",
  statusHints: {
    pending: "Ningún agente lo ha recogido aún.",
    dispatched: "Un agente lo ha recogido y aún no ha respondido.",
    completed: "El agente lo ha ejecutado.",
    failed: "El agente no ha podido ejecutarlo.",
    timeout: "El agente no ha respondido a tiempo. Es posible que lo haya ejecutado.",
    cancelled: "Se canceló antes de que un agente lo recogiera."
  },
  actions: {
    retry_task: "Reintentar una tarea",
    cancel_task: "Cancelar una tarea",
    requeue_dead_letter: "Volver a encolar una dead letter",
    bulk_retry: "Reintentar muchas tareas",
    purge_queue: "Vaciar una cola",
    pause_queue: "Pausar una cola",
    resume_queue: "Reanudar una cola",
    restart_worker: "Reiniciar un worker",
    pool_grow: common.addSlots,
    pool_shrink: common.removeSlots,
    add_consumer: "Consumir de una cola",
    cancel_consumer: "Dejar de consumir de una cola",
    rate_limit: common.setRateLimit,
    reconcile_task: "Conciliar una tarea",
    "dlq.list": "Listar dead letters",
    "schedule.fire": "Disparar una programación",
    "schedule.trigger_now": "Disparar ahora una programación",
    "schedule.delete": "Eliminar una programación",
    "schedule.resync": "Publicar de nuevo las programaciones",
    "schedule.external.activate": "Publicar las programaciones",
    "schedule.external.control": "Activar o desactivar una programación",
    "schedule.external.mutate": "Cambiar una programación"
  },
  allStatuses: "Todos los resultados"
}
