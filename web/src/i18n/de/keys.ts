import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const keys: Texts["keys"] = {
  title: "Tastenkürzel",
  places: {
    everywhere: "Überall",
    tasks: "In der Task-Liste",
    task: "Bei den ausgewählten Tasks, sonst beim fokussierten oder geöffneten"
  },
  go: "Zu einer Seite",
  does: {
    palette: "Befehlspalette öffnen, auch beim Tippen",
    help: "Tastenkürzel anzeigen",
    search: "Zum Filter, sonst zur Befehlspalette",
    next: "Nächster Task",
    previous: "Voriger Task",
    open: common.openTheTask,
    select: "Task auswählen",
    retry: "Wiederholen (mit Rückfrage)",
    cancel: "Abbrechen (mit Rückfrage)"
  }
}
