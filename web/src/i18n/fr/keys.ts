import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const keys: Texts["keys"] = {
  title: "Raccourcis clavier",
  places: {
    everywhere: "Partout",
    tasks: "Dans la liste des tâches",
    task: "Sur les tâches sélectionnées, sinon sur la tâche ciblée ou ouverte"
  },
  go: "Aller à une page",
  does: {
    palette: "Ouvrir la palette, même pendant la saisie",
    help: "Afficher les raccourcis clavier",
    search: "Aller au filtre, sinon ouvrir la palette",
    next: "Tâche suivante",
    previous: "Tâche précédente",
    open: common.openTheTask,
    select: "Sélectionner la tâche",
    retry: "Relancer (avec confirmation)",
    cancel: "Annuler (avec confirmation)"
  }
}
