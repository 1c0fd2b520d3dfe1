import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const tasks: Texts["tasks"] = {
  title: common.tasks,
  query: "Tasks filtern",
  queryHint: "state:failure,retry name:mail.* -queue:slow runtime:>5s since:1h \"timeout\"",
  queryHelp:
    "Filterbegriffe: state, name, queue, engine, worker, priority, error, runtime, retries, fingerprint, since, until. Minus, NOT, OR und Klammern verknüpfen sie. Andere Wörter werden in Namen, IDs und Fehlern gesucht. Pfeil nach unten zeigt Vorschläge.",
  queryErrors: {
    term: (term: string) => `Den Filterbegriff „${term}“ gibt es nicht.`,
    value: (term: string, value: string) => `„${value}“ ist kein gültiger Wert für ${term}.`,
    quote: "Ein Anführungszeichen fehlt."
  },
  columns: {
    state: "Status",
    name: common.name,
    queue: common.queue,
    worker: common.worker,
    received: common.received,
    runtime: common.runTime,
    retries: "Wdh.",
    id: common.id,
    engine: common.engine,
    priority: common.priority,
    started: common.started,
    finished: common.finished
  },
  ofLastAttempt: "Des letzten Versuchs",
  allStates: "Alle Status",
  newTasks: common.newRows,
  showNew: "Neue anzeigen",
  noTasks: "Noch keine Tasks",
  noTasksHint: "Verbinden Sie einen Agenten; der erste Task erscheint hier innerhalb einer Sekunde.",
  noMatch: "Kein passender Task",
  noMatchHint: "Entfernen Sie einen Filterbegriff oder suchen Sie weiter zurück.",
  noMatchYet: "Noch kein Treffer",
  searchedBack: (time: string) => `Durchsucht bis zurück zu ${time}.`,
  searchingOn: "Ältere Tasks werden durchsucht",
  searchOn: "Ältere Tasks durchsuchen",
  clear: "Filter zurücksetzen",
  loadingMore: "Ältere Tasks werden geladen",
  end: "Ende der Liste",
  density: "Zeilenhöhe",
  selected: (count: Count) => `${count.text} ausgewählt`,
  select: (name: string) => `${name} auswählen`,
  selectColumn: "Auswahl",
  actionColumn: common.actions,
  clearSelection: "Auswahl aufheben",
  tooManySelected: (most: string) =>
    `Höchstens ${most} Tasks lassen sich einzeln auswählen. Wählen Sie stattdessen alle passenden aus.`,
  retry: common.retry,
  cancel: common.cancelTask,
  cancelSelected: "Tasks abbrechen",
  completions: "Vorschläge",
  facets: "Anzahlen neben der Liste",
  filterByCount: "Nach Wert filtern",
  selectMode: "Auswählen",
  facetsPartial: "Von den neuesten 10.000 Tasks",
  priorities: { critical: common.critical, high: common.high, normal: common.normal, low: common.low },
  listSettings: "Spalten und Zeilen",
  shownColumns: "Spalten",
  roomy: "Höhere Zeilen",
  export: "Passende Tasks exportieren",
  exportAs: (format: string) => `Als ${format}`,
  selectLoaded: "Alle geladenen Tasks auswählen",
  allSelected: (count: Count) =>
    plural(count, "# passender Task ist ausgewählt", "Alle # passenden Tasks sind ausgewählt"),
  moreSelected: (count: string) => `Alle passenden Tasks sind ausgewählt, mindestens ${count}`,
  selectMatching: (count: Count) => plural(count, "# passenden Task auswählen", "Alle # passenden Tasks auswählen"),
  selectMore: "Alle passenden Tasks auswählen",
  retryMatching: "Alle passenden Tasks wiederholen?",
  retryMatchingHint: "Nennt der Filter keinen Status, werden nur fehlgeschlagene Tasks wiederholt.",
  noneToCancel: "Kein passender Task lässt sich abbrechen",
  delete: common.delete,
  deleteQuestion: (count: Count) => plural(count, "# Task löschen?", "# Tasks löschen?"),
  deleteMoreQuestion: (count: string) => `Alle passenden Tasks löschen, mindestens ${count}?`,
  deleteHint:
    "Die Tasks werden mit Ereignissen, Argumenten und Ergebnissen aus svc gelöscht. Ihre Engine erfährt davon nichts.",
  views: {
    title: "Gespeicherte Ansichten",
    none: "Keine gespeicherten Ansichten. Filtern Sie die Liste und speichern Sie den Filter hier.",
    save: "Diesen Filter speichern",
    name: common.name,
    share: "Mit dem Projekt teilen",
    shareHint: "Alle Mitglieder sehen eine geteilte Ansicht.",
    shared: "Geteilt",
    remove: (name: string) => `Ansicht ${name} löschen`,
    removeQuestion: (name: string) => `Ansicht ${name} löschen?`
  },
  count: (count: Count) => plural(count, "# Task", "# Tasks")
}
