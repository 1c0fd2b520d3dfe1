import type { Texts } from "../en.ts"

export const tasks: Texts["tasks"] = {
  title: "Tasks",
  query: "Tasks filtern",
  queryHint: "state:failure name:mail queue:slow engine:celery worker:box-1 since:1h \"timeout\"",
  queryHelp:
    "Filterbegriffe: state, name, queue, engine, worker, priority, fingerprint, since, until. Andere Wörter werden in Namen, IDs und Fehlern gesucht.",
  queryErrors: {
    term: (term: string) => `Den Filterbegriff „${term}“ gibt es nicht.`,
    value: (term: string, value: string) => `„${value}“ ist kein gültiger Wert für ${term}.`,
    quote: "Ein Anführungszeichen fehlt."
  },
  columns: {
    state: "Status",
    name: "Name",
    queue: "Queue",
    worker: "Worker",
    received: "Empfangen",
    runtime: "Laufzeit",
    retries: "Wdh.",
    id: "ID"
  },
  allStates: "Alle Status",
  newTasks: (count: string) => `${count} neu`,
  showNew: "Neue anzeigen",
  noTasks: "Noch keine Tasks",
  noTasksHint: "Verbinden Sie einen Agenten; der erste Task erscheint hier innerhalb einer Sekunde.",
  noMatch: "Kein passender Task",
  noMatchHint: "Entfernen Sie einen Filterbegriff oder suchen Sie weiter zurück.",
  clear: "Filter zurücksetzen",
  loadingMore: "Ältere Tasks werden geladen",
  end: "Keine weiteren Tasks",
  density: "Zeilenhöhe",
  densities: { compact: "Kompakt", comfortable: "Großzügig" },
  selected: (count: string) => `${count} ausgewählt`,
  select: (name: string) => `${name} auswählen`,
  selectColumn: "Auswahl",
  actionColumn: "Aktionen",
  clearSelection: "Auswahl aufheben",
  retry: "Wiederholen",
  cancel: "Task abbrechen"
}
