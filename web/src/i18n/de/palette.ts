import type { Texts } from "../en.ts"

export const palette: Texts["palette"] = {
  label: "Aufrufen oder ausführen",
  placeholder: "Seite, Name oder Teil einer Aufgaben-ID",
  searching: "Aufgaben werden gesucht",
  nothing: "Keine Treffer. Aufgaben werden ab vier Zeichen gesucht.",
  found: (count: string) => `${count} gefunden`,
  copyId: "ID der Aufgabe kopieren",
  copyIds: "IDs der ausgewählten Aufgaben kopieren",
  copyLink: "Link zur Aufgabe kopieren",
  groups: {
    actions: "Ausgewählt oder geöffnet",
    pages: "Seiten",
    tasks: "Aufgaben",
    projects: "Projekte",
    schedules: "Zeitpläne",
    queues: "Queues",
    workers: "Worker",
    agents: "Agenten"
  }
}
