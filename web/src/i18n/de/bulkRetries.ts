import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const bulkRetries: Texts["bulkRetries"] = {
  title: common.bulkRetries,
  one: common.bulkRetry,
  singleCommands: "Einzelne Befehle",
  status: common.status,
  phases: {
    running: common.running,
    paused: common.paused,
    cancelling: "Abgebrochen, letzte Ergebnisse stehen aus",
    completed: common.completed,
    cancelled: common.cancelled,
    expired: "Abgelaufen"
  },
  counts: {
    succeeded: "Wiederholt",
    failed: "Nicht wiederholt",
    unknown: common.outcomeUnknown,
    unobserved: "Ausgelassen",
    claimed: "Befehl gesendet",
    pending: common.waiting
  },
  countHints: {
    succeeded: "Der Agent hat die Wiederholung bestätigt.",
    failed: "Der Agent hat die Wiederholung abgelehnt, oder sie ist ihm misslungen.",
    unknown: "Der Befehl wurde gesendet; ob er ausgeführt wurde, ist nicht bekannt.",
    unobserved:
      "Der Task ist gelöscht oder hat sich seither geändert, oder sein Befehl wurde vor dem Senden abgebrochen.",
    claimed: "Der Befehl wurde erteilt und hat noch kein Ergebnis.",
    pending: "Es wurde noch kein Befehl erteilt."
  },
  outcomeTitle: "Ergebnis der wiederholten Tasks",
  outcomes: {
    succeeded: common.succeededTasks,
    failed: "Erneut fehlgeschlagen",
    waiting: "Noch offen",
    cancelled: common.cancelled,
    unknown: common.unknown
  },
  outcomeHints: {
    succeeded: "Der Task war erfolgreich, oder eine spätere Wiederholung war es.",
    failed: "Der Task ist erneut fehlgeschlagen.",
    waiting: "Der Task wartet oder läuft.",
    cancelled: "Der Task wurde abgebrochen oder abgelehnt.",
    unknown: "Kein Agent hat den Task innerhalb eines Tages gemeldet, sein Ende ist unbekannt, oder er wurde gelöscht."
  },
  failedAgain: (count: Count) => plural(count, "# erneut fehlgeschlagen", "# erneut fehlgeschlagen"),
  showFailedAgain: "Erneut fehlgeschlagene Tasks anzeigen",
  reasons: {
    task_deleted: "Der Task wurde gelöscht.",
    task_changed: "Der Task hat einen anderen Status als beim Start der Wiederholung.",
    task_retried: "Ein anderer Befehl hat den Task inzwischen wiederholt.",
    command_cancelled: "Sein Befehl wurde vor dem Senden abgebrochen.",
    refused: "Die Engine kann den Task ohne seine Argumente nicht wiederholen.",
    failed: "Der Agent hat die Wiederholung abgelehnt, oder sie ist ihm misslungen.",
    unconfirmed: "Der Befehl wurde gesendet, sein Ergebnis ist unbekannt."
  },
  filter: common.filter,
  facts: common.details,
  progress: common.progress,
  ofTotal: common.ofTotal,
  done: "Erledigt",
  failed: "Nicht wiederholt",
  created: "Gestartet",
  finished: "Beendet",
  lastProgress: "Letzter Fortschritt",
  deadline: "Frist",
  rate: "Rate",
  noRate: "Unbegrenzt",
  perSecond: (rate: string) => `${rate} pro Sekunde`,
  capped: (max: string) => `Es passen mehr Tasks. Nur die ältesten ${max} werden wiederholt.`,
  tasks: common.tasks,
  allTasks: common.all,
  task: common.task,
  reason: common.reason,
  newTask: "Neuer Task",
  noItems: "Keine Tasks mit diesem Ergebnis",
  none: "Noch keine Massenwiederholungen",
  noneHint: "Öffnen Sie eine Fehlergruppe oder filtern Sie die Task-Liste, und wiederholen Sie alle Tasks daraus.",
  pause: common.pause,
  resume: common.resume,
  cancel: "Wiederholung abbrechen",
  cancelQuestion: "Diese Massenwiederholung abbrechen?",
  cancelHint: (count: Count) =>
    plural(
      count,
      "# Task wird nicht wiederholt. Gesendete Befehle werden nicht zurückgenommen. Eine abgebrochene Wiederholung lässt sich nicht fortsetzen.",
      "# Tasks werden nicht wiederholt. Gesendete Befehle werden nicht zurückgenommen. Eine abgebrochene Wiederholung lässt sich nicht fortsetzen."
    ),
  changeRate: "Rate ändern",
  rateField: "Wiederholungen pro Sekunde",
  rateHint: "Leer: unbegrenzt.",
  rateResumes: "Leer: unbegrenzt. Die Wiederholung läuft sofort weiter.",
  maxField: "Höchstzahl der Tasks",
  maxHint: (most: string) =>
    `Höchstens ${most}. Passen mehr Tasks, werden die ältesten wiederholt. Leer: alle passenden.`,
  matching: common.matchingTasks,
  takes: (part: string, all: string) => `Die ältesten ${part} von ${all} passenden Tasks`,
  takesOfMore: (part: string, all: string) => `Die ältesten ${part} von mehr als ${all} passenden Tasks`,
  engineNote: (engine: string, count: string) => `${engine} (${count}):`,
  byName: "Nach Name",
  byException: "Nach Exception",
  more: common.more,
  start: "Wiederholung starten"
}
