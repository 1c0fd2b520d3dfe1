import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const notifications: Texts["notifications"] = {
  title: common.notifications,
  parts: {
    alerts: common.alerts,
    channels: common.channels,
    defaults: "Abonnements par défaut",
    deliveries: common.deliveries,
    maintenance: common.maintenanceWindows
  },
  own: common.myNotifications,
  triggers: {
    "task.failed": "Une tâche a échoué",
    "task.succeeded": "Une tâche a réussi",
    "task.retried": "Une tâche est relancée",
    "task.retries_exhausted": "La dernière relance a échoué",
    "task.failure_rate": common.failureRate,
    "task.orphaned": "Une tâche est orpheline",
    "failure_group.regressed": "Un échec résolu est réapparu",
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
  severities: { critical: common.critical, error: common.error, warning: common.warning, info: "Information" }
}
