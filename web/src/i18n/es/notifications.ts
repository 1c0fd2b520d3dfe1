import type { Texts } from "../en.ts"

export const notifications: Texts["notifications"] = {
  title: "Notificaciones",
  parts: {
    alerts: "Alertas",
    channels: "Canales",
    defaults: "Suscripciones predeterminadas",
    deliveries: "Entregas",
    maintenance: "Ventanas de mantenimiento"
  },
  own: "Mis notificaciones",
  triggers: {
    "task.failed": "Una tarea falló",
    "task.succeeded": "Una tarea terminó con éxito",
    "task.retried": "Una tarea se reintenta",
    "task.retries_exhausted": "Falló el último reintento",
    "task.failure_rate": "Tasa de fallos",
    "task.orphaned": "Una tarea quedó huérfana",
    "agent.offline": "Un agente está desconectado",
    "agent.online": "Un agente ha vuelto",
    "worker.offline": "Un worker está desconectado",
    "schedule.misfired": "Una programación perdió una ejecución",
    "schedule.fire.succeeded": "Un disparo tuvo éxito",
    "schedule.fire.failed": "Un disparo falló",
    "schedule.task_failed": "Una tarea programada falló",
    "schedule.circuit_breaker.tripped": "Una programación se desactivó tras varios fallos",
    "approval.requested": "Aprobación solicitada",
    "test.dispatch": "Prueba",
    "channel.failing": "Un canal falla",
    "channel.disabled": "Un canal se desactivó"
  },
  severities: { critical: "Crítica", error: "Error", warning: "Advertencia", info: "Información" }
}
