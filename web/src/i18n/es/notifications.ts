import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const notifications: Texts["notifications"] = {
  title: common.notifications,
  parts: {
    alerts: common.alerts,
    channels: common.channels,
    defaults: "Suscripciones predeterminadas",
    deliveries: common.deliveries,
    maintenance: common.maintenanceWindows
  },
  own: common.myNotifications,
  triggers: {
    "task.failed": "Una tarea falló",
    "task.succeeded": "Una tarea terminó con éxito",
    "task.retried": "Una tarea se reintenta",
    "task.retries_exhausted": "Falló el último reintento",
    "task.failure_rate": common.failureRate,
    "task.orphaned": "Una tarea quedó huérfana",
    "failure_group.regressed": "Un fallo resuelto reapareció",
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
  severities: { critical: common.critical, error: common.error, warning: common.warning, info: "Información" }
}
