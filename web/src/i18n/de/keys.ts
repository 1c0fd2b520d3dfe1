import type { Texts } from "../en.ts"

export const keys: Texts["keys"] = {
  title: "Tasten",
  places: {
    everywhere: "Überall",
    tasks: "In der Aufgabenliste",
    task: "Bei den ausgewählten Aufgaben, sonst bei der mit dem Fokus oder der geöffneten"
  },
  go: "Zu einer Seite",
  does: {
    palette: "Befehlspalette öffnen, auch beim Tippen",
    help: "Tasten anzeigen",
    search: "Zum Filter",
    next: "Nächste Aufgabe",
    previous: "Vorige Aufgabe",
    open: "Aufgabe öffnen",
    select: "Aufgabe auswählen",
    retry: "Wiederholen, nach Rückfrage",
    cancel: "Abbrechen, nach Rückfrage"
  }
}
