import type { Texts } from "../en.ts"

export const notifications: Texts["notifications"] = {
  title: "Notifications",
  parts: {
    alerts: "Alertes",
    channels: "Canaux",
    defaults: "Abonnements par défaut",
    deliveries: "Envois",
    maintenance: "Fenêtres de maintenance"
  },
  own: "Mes notifications",
  triggers: {
    "task.failed": "Une tâche a échoué",
    "task.succeeded": "Une tâche a réussi",
    "task.retried": "Une tâche est relancée",
    "task.retries_exhausted": "La dernière relance a échoué",
    "task.failure_rate": "Taux d’échec",
    "task.orphaned": "Une tâche est orpheline",
    "agent.offline": "Un agent est hors ligne",
    "agent.online": "Un agent est de retour",
    "worker.offline": "Un worker est hors ligne",
    "schedule.misfired": "Une planification a manqué une exécution",
    "schedule.fire.succeeded": "Un déclenchement a réussi",
    "schedule.fire.failed": "Un déclenchement a échoué",
    "schedule.task_failed": "Une tâche planifiée a échoué",
    "schedule.circuit_breaker.tripped": "Une planification a été désactivée après des échecs",
    "approval.requested": "Approbation demandée",
    "test.dispatch": "Test",
    "channel.failing": "Un canal est en échec",
    "channel.disabled": "Un canal a été désactivé"
  },
  severities: { critical: "Critique", error: "Erreur", warning: "Avertissement", info: "Information" }
}
