import type { Texts } from "../en.ts"

export const overview: Texts["overview"] = {
  title: "Übersicht",
  window: "Zeitraum",
  windows: {
    "1h": "1 Stunde",
    "6h": "6 Stunden",
    "24h": "24 Stunden",
    "72h": "3 Tage",
    "7d": "7 Tage",
    "30d": "30 Tage",
    "90d": "90 Tage"
  },
  throughput: "Beendete Tasks",
  durations: "Laufzeit",
  waits: "Wartezeit bis zum ersten Start",
  waitsShort: "Wartezeit",
  perHour: (count: string) => `${count} pro Stunde`,
  failureRate: "Fehlerrate",
  succeeded: "Erfolgreich",
  failed: "Fehlgeschlagen",
  inTable: "Als Tabelle anzeigen",
  asChart: "Als Diagramm anzeigen",
  time: "Zeit",
  p50: "p50",
  p95: "p95",
  topFailing: "Am häufigsten fehlgeschlagen",
  topGroups: "Fehlergruppen mit offenen Tasks",
  noGroups: "In diesem Zeitraum ist keine Gruppe fehlgeschlagen",
  queues: "Queues",
  depth: "Wartend",
  noFailing: "In diesem Zeitraum ist kein Task fehlgeschlagen",
  noQueues: "Noch kein Agent hat eine Queue gemeldet",
  name: "Name",
  workersOnline: "Worker online",
  agentsOnline: "Agenten online",
  ofTotal: (part: string, total: string) => `${part} von ${total}`
}
