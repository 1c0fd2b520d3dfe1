import type { Texts } from "../en.ts"

export const commands: Texts["commands"] = {
  title: "Befehle",
  action: "Aktion",
  target: "Ziel",
  status: "Ergebnis",
  issued: "Erteilt",
  took: "Dauer",
  error: "Fehler",
  none: "Noch keine Befehle",
  noneOfStatus: "Keine Befehle mit diesem Ergebnis",
  noneHint: "Wiederholen Sie einen Task oder brechen Sie ihn ab, und verfolgen Sie hier den Befehl.",
  statuses: {
    pending: "Ausstehend",
    dispatched: "Übermittelt",
    completed: "Ausgeführt",
    failed: "Fehlgeschlagen",
    timeout: "Ergebnis unbekannt",
    cancelled: "Abgebrochen"
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
    restart_worker: "Worker neu starten",
    pool_grow: "Slots hinzufügen",
    pool_shrink: "Slots entfernen",
    add_consumer: "Aus Queue konsumieren",
    cancel_consumer: "Nicht mehr aus Queue konsumieren",
    rate_limit: "Ratenlimit setzen",
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
