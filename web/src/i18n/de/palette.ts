import type { Texts } from "../en.ts"

export const palette: Texts["palette"] = {
  label: "Aufrufen oder ausführen",
  failed: "Die Palette konnte nicht geladen werden",
  failedHint: "Laden Sie die Seite neu. Vielleicht wurde svc seit dem Öffnen aktualisiert.",
  placeholder: "Seite, Name oder Teil einer Aufgaben-ID",
  searching: "Aufgaben werden gesucht",
  nothing: "Keine Treffer.",
  tooShort: "Aufgaben werden ab vier Zeichen gesucht.",
  noProject: "Öffnen Sie ein Projekt, um seine Aufgaben zu durchsuchen.",
  searchedBack: (time: string) => `Aufgaben vor ${time} wurden nicht durchsucht.`,
  found: (count: string) => `${count} gefunden`,
  copyId: "ID der Aufgabe kopieren",
  copyIds: "IDs der ausgewählten Aufgaben kopieren",
  copyLink: "Link zur Aufgabe kopieren",
  groups: {
    actions: "Ausgewählt oder geöffnet",
    pages: "Seiten",
    tasks: "Aufgaben",
    failures: "Fehler",
    projects: "Projekte",
    schedules: "Zeitpläne",
    rules: "Automatisierungsregeln",
    queues: "Queues",
    workers: "Worker",
    agents: "Agenten"
  }
}
