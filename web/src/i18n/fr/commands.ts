import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const commands: Texts["commands"] = {
  title: common.commands,
  action: common.action,
  target: common.target,
  agent: common.agent,
  status: common.outcome,
  issued: "Émise",
  took: common.took,
  error: common.error,
  none: "Pas encore de commande",
  noneOfStatus: "Aucune commande avec ce résultat",
  noneHint: "Relancez ou annulez une tâche, puis suivez ici sa commande.",
  statuses: {
    pending: common.pending,
    dispatched: "Transmise",
    completed: common.completed,
    failed: common.failed,
    timeout: common.outcomeUnknown,
    cancelled: common.cancelled
  },
  statusHelp: "Signification des résultats",
  statusHints: {
    pending: "Aucun agent ne l’a encore prise en charge.",
    dispatched: "Un agent l’a prise en charge et n’a pas encore répondu.",
    completed: "L’agent l’a exécutée.",
    failed: "L’agent n’a pas pu l’exécuter.",
    timeout: "L’agent n’a pas répondu à temps. Il l’a peut-être exécutée.",
    cancelled: "Elle a été annulée avant qu’un agent ne la prenne en charge."
  },
  actions: {
    retry_task: "Relancer une tâche",
    cancel_task: "Annuler une tâche",
    requeue_dead_letter: "Remettre en file une dead letter",
    bulk_retry: "Relancer de nombreuses tâches",
    purge_queue: "Vider une file",
    pause_queue: "Suspendre une file",
    resume_queue: "Reprendre une file",
    restart_worker: "Redémarrer un worker",
    pool_grow: common.addSlots,
    pool_shrink: common.removeSlots,
    add_consumer: "Consommer une file",
    cancel_consumer: "Cesser de consommer une file",
    rate_limit: common.setRateLimit,
    reconcile_task: "Réconcilier une tâche",
    "dlq.list": "Lister les dead letters",
    "schedule.fire": "Déclencher une planification",
    "schedule.trigger_now": "Déclencher maintenant une planification",
    "schedule.delete": "Supprimer une planification",
    "schedule.resync": "Publier à nouveau les planifications",
    "schedule.external.activate": "Publier les planifications",
    "schedule.external.control": "Activer ou désactiver une planification",
    "schedule.external.mutate": "Modifier une planification"
  },
  allStatuses: "Tous les résultats"
}
