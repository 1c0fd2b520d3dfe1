import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const bulkJobs: Texts["bulkJobs"] = {
  title: common.bulkJobs,
  actions: { delete: "Löschen", cancel: "Abbrechen" },
  begun: { delete: "Tasks werden gelöscht", cancel: "Tasks werden abgebrochen" },
  ended: { delete: "Löschen beendet", cancel: "Abbrechen beendet" },
  statuses: { running: common.running, completed: "Abgeschlossen", stopped: "Angehalten" },
  what: "Aktion",
  filter: common.filter,
  everyTask: "Alle Tasks",
  hiddenQuery: "Er hat Bedingungen zu Argumenten oder Ergebnissen, die Ihre Rolle nicht sehen darf.",
  status: common.status,
  progress: common.progress,
  ofTotal: common.ofTotal,
  done: "Erledigt",
  parts: {
    pending: (count: Count) => `${count.text} ohne Ergebnis`,
    failed: (count: Count) => `${count.text} fehlgeschlagen`,
    unknown: (count: Count) => `${count.text} mit unbekanntem Ergebnis`,
    skipped: (count: Count) => `${count.text} ausgelassen`
  },
  by: common.by,
  created: "Begonnen",
  action: common.actions,
  none: "Noch keine Massenaufträge",
  noneHint: "Wählen Sie in der Task-Liste Tasks oder alle passenden aus, dann löschen Sie sie oder brechen sie ab.",
  stop: "Anhalten",
  stopQuestion: "Diesen Auftrag anhalten?",
  stopHint:
    "Übrige Tasks bleiben, wie sie sind. Erteilte Befehle laufen weiter. Ein angehaltener Auftrag lässt sich nicht fortsetzen.",
  cancelQuestion: "Alle passenden Tasks abbrechen?",
  toCancel: (count: Count) => plural(count, "# nicht beendeter Task", "# nicht beendete Tasks"),
  moreToCancel: (count: Count) =>
    plural(count, "Mindestens # nicht beendeter Task", "Mindestens # nicht beendete Tasks"),
  endedLeftOut: (count: Count) =>
    plural(count, "# ist bereits beendet und wird ausgelassen", "# sind bereits beendet und werden ausgelassen"),
  cancelHint: "Jeder erhält einen eigenen Befehl. Der Auftrag läuft weiter, wenn Sie die Seite schließen.",
  see: "Massenaufträge anzeigen"
}
