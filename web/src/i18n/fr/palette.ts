import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const palette: Texts["palette"] = {
  label: "Aller à ou exécuter",
  placeholder: "Page, nom ou partie d’un ID de tâche",
  searching: "Recherche de tâches",
  nothing: "Aucun résultat.",
  tooShort: "Saisissez au moins quatre caractères pour chercher des tâches.",
  noProject: "Ouvrez un projet pour chercher dans ses tâches.",
  searchedBack: (time: string) => `Les tâches antérieures au ${time} n’ont pas été parcourues.`,
  found: (count: Count) => plural(count, "# résultat", "# résultats"),
  copyId: "Copier l’ID de la tâche",
  copyIds: "Copier les ID des tâches sélectionnées",
  copyLink: "Copier le lien vers la tâche",
  groups: {
    actions: "Sélectionné ou ouvert",
    pages: "Pages",
    tasks: common.tasks,
    names: "Noms de tâches",
    failures: common.failures,
    projects: common.projects,
    schedules: common.schedules,
    rules: "Règles d’automatisation",
    queues: common.queues,
    workers: common.workers,
    agents: common.agents
  }
}
