import type { Texts } from "../en.ts"

export const notifications: Texts["notifications"] = {
  title: "Benachrichtigungen",
  parts: {
    alerts: "Alarme",
    channels: "Kanäle",
    defaults: "Standard-Abonnements",
    deliveries: "Zustellungen",
    maintenance: "Wartungsfenster"
  },
  own: "Meine Benachrichtigungen",
  triggers: {
    "task.failed": "Task fehlgeschlagen",
    "task.succeeded": "Task erfolgreich",
    "task.retried": "Task wird wiederholt",
    "task.retries_exhausted": "Letzte Wiederholung fehlgeschlagen",
    "task.failure_rate": "Fehlerrate",
    "task.orphaned": "Task verwaist",
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
  severities: { critical: "Kritisch", error: "Fehler", warning: "Warnung", info: "Info" }
}
