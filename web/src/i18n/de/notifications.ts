import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const notifications: Texts["notifications"] = {
  title: common.notifications,
  parts: {
    alerts: common.alerts,
    channels: common.channels,
    defaults: "Standard-Abonnements",
    deliveries: common.deliveries,
    maintenance: common.maintenanceWindows
  },
  own: common.myNotifications,
  triggers: {
    "task.failed": "Task fehlgeschlagen",
    "task.succeeded": "Task erfolgreich",
    "task.retried": "Task wird wiederholt",
    "task.retries_exhausted": "Letzte Wiederholung fehlgeschlagen",
    "task.failure_rate": common.failureRate,
    "task.orphaned": "Task verwaist",
    "failure_group.regressed": "Gelöster Fehler wieder aufgetreten",
    "agent.offline": "Agent offline",
    "agent.online": "Agent wieder online",
    "worker.offline": "Worker offline",
    "schedule.misfired": "Ein Zeitplan hat eine Ausführung verpasst",
    "schedule.fire.succeeded": "Auslösung erfolgreich",
    "schedule.fire.failed": "Auslösung fehlgeschlagen",
    "schedule.task_failed": "Geplanter Task fehlgeschlagen",
    "schedule.circuit_breaker.tripped": "Zeitplan nach Fehlern deaktiviert",
    "approval.requested": "Freigabe angefragt",
    "test.dispatch": "Test",
    "channel.failing": "Kanal gestört",
    "channel.disabled": "Kanal deaktiviert"
  },
  severities: { critical: common.critical, error: common.error, warning: common.warning, info: "Info" }
}
