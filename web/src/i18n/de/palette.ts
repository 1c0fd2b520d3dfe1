import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const palette: Texts["palette"] = {
  label: "Aufrufen oder ausführen",
  placeholder: "Seite, Name oder Teil einer Task-ID",
  searching: "Tasks werden gesucht",
  nothing: "Keine Treffer.",
  tooShort: "Geben Sie mindestens vier Zeichen ein, um Tasks zu suchen.",
  noProject: "Öffnen Sie ein Projekt, um seine Tasks zu durchsuchen.",
  searchedBack: (time: string) => `Tasks vor ${time} wurden nicht durchsucht.`,
  found: (count: Count) => `${count.text} gefunden`,
  copyId: "Task-ID kopieren",
  copyIds: "IDs der ausgewählten Tasks kopieren",
  copyLink: "Link zum Task kopieren",
  groups: {
    actions: "Ausgewählt oder geöffnet",
    pages: "Seiten",
    tasks: common.tasks,
    names: "Task-Namen",
    failures: common.failures,
    projects: common.projects,
    schedules: common.schedules,
    rules: "Automatisierungsregeln",
    queues: common.queues,
    workers: common.workers,
    agents: common.agents
  }
}
