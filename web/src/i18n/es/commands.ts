import type { Texts } from "../en.ts"

export const commands: Texts["commands"] = {
  title: "Comandos",
  action: "Acción",
  target: "Objetivo",
  status: "Resultado",
  issued: "Emitido",
  took: "Duración",
  error: "Error",
  none: "Aún no hay comandos",
  noneOfStatus: "Ningún comando con este resultado",
  noneHint: "Reintente o cancele una tarea y siga aquí su comando.",
  statuses: {
    pending: "Pendiente",
    dispatched: "Entregado",
    completed: "Completado",
    failed: "Con error",
    timeout: "Resultado desconocido",
    cancelled: "Cancelado"
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
    restart_worker: "Reiniciar un worker",
    pool_grow: "Añadir slots",
    pool_shrink: "Quitar slots",
    add_consumer: "Consumir de una cola",
    cancel_consumer: "Dejar de consumir de una cola",
    rate_limit: "Fijar un límite de tasa",
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
