import type { Texts } from "../en.ts"

export const bulkJobs: Texts["bulkJobs"] = {
  title: "Massenaufträge",
  actions: { delete: "Löschen", cancel: "Abbrechen" },
  begun: { delete: "Tasks werden gelöscht", cancel: "Tasks werden abgebrochen" },
  ended: { delete: "Das Löschen ist beendet", cancel: "Das Abbrechen ist beendet" },
  statuses: { running: "Läuft", completed: "Abgeschlossen", stopped: "Angehalten" },
  what: "Aktion",
  filter: "Filter",
  everyTask: "Alle Tasks",
  status: "Status",
  progress: "Fortschritt",
  ofTotal: (part: string, total: string) => `${part} von ${total}`,
  done: "Erledigt",
  parts: {
    pending: (count: string) => `Ohne Ergebnis: ${count}`,
    failed: (count: string) => `Fehlgeschlagen: ${count}`,
    unknown: (count: string) => `Ergebnis unbekannt: ${count}`,
    skipped: (count: string) => `Ausgelassen: ${count}`
  },
  by: "Von",
  created: "Begonnen",
  action: "Aktionen",
  none: "Noch kein Massenauftrag",
  noneHint: "Wählen Sie in der Taskliste Tasks oder alle passenden aus, dann löschen Sie sie oder brechen sie ab.",
  stop: "Anhalten",
  stopQuestion: "Diesen Auftrag anhalten?",
  stopHint:
    "Übrige Tasks bleiben, wie sie sind. Erteilte Befehle laufen weiter. Ein angehaltener Auftrag lässt sich nicht fortsetzen.",
  cancelQuestion: "Alle passenden Tasks abbrechen?",
  toCancel: (count: string) => `Tasks, die nicht beendet sind: ${count}`,
  moreToCancel: (count: string) => `Tasks, die nicht beendet sind: mindestens ${count}`,
  endedLeftOut: (count: string) => `Ausgelassen, da bereits beendet: ${count}`,
  cancelHint: "Jeder erhält einen eigenen Befehl. Der Auftrag läuft weiter, wenn Sie die Seite schließen.",
  see: "Massenaufträge ansehen"
}
