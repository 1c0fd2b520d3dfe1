import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const commands: Texts["commands"] = {
  title: common.commands,
  action: common.action,
  target: common.target,
  agent: common.agent,
  status: common.outcome,
  issued: "Erteilt",
  took: common.took,
  error: common.error,
  none: "Noch keine Befehle",
  noneOfStatus: "Keine Befehle mit diesem Ergebnis",
  noneHint: "Wiederholen Sie einen Task oder brechen Sie ihn ab, und verfolgen Sie hier den Befehl.",
  statuses: {
    pending: common.pending,
    dispatched: "Übermittelt",
    completed: common.completed,
    failed: common.failed,
    timeout: common.outcomeUnknown,
    cancelled: common.cancelled
  },
  statusHelp: "Was die Ergebnisse bedeuten",
  statusHints: {
    pending: "Noch kein Agent hat ihn übernommen.",
    dispatched: "Ein Agent hat ihn übernommen und noch nicht geantwortet.",
    completed: "Der Agent hat ihn ausgeführt.",
    failed: "Der Agent konnte ihn nicht ausführen.",
    timeout: "Der Agent hat nicht rechtzeitig geantwortet. Möglicherweise hat er ihn ausgeführt.",
    cancelled: "Er wurde abgebrochen, bevor ein Agent ihn übernahm."
  },
  actions: {
    retry_task: "Task wiederholen",
    cancel_task: "Task abbrechen",
    requeue_dead_letter: "Dead Letter neu einreihen",
    bulk_retry: "Viele Tasks wiederholen",
    purge_queue: "Queue leeren",
    pause_queue: "Queue anhalten",
    resume_queue: "Queue fortsetzen",
    restart_worker: "Worker neu starten",
    pool_grow: common.addSlots,
    pool_shrink: common.removeSlots,
    add_consumer: "Aus Queue konsumieren",
    cancel_consumer: "Nicht mehr aus Queue konsumieren",
    rate_limit: common.setRateLimit,
    reconcile_task: "Task abgleichen",
    "dlq.list": "Dead Letters auflisten",
    "schedule.fire": "Zeitplan auslösen",
    "schedule.trigger_now": "Zeitplan jetzt auslösen",
    "schedule.delete": "Zeitplan löschen",
    "schedule.resync": "Zeitpläne erneut melden",
    "schedule.external.activate": "Zeitpläne melden",
    "schedule.external.control": "Zeitplan aktivieren oder deaktivieren",
    "schedule.external.mutate": "Zeitplan ändern"
  },
  allStatuses: "Alle Ergebnisse"
}
