import type { Texts } from "../en.ts"

export const palette: Texts["palette"] = {
  label: "Aller à ou exécuter",
  failed: "La palette n’a pas pu être chargée",
  failedHint: "Rechargez la page. svc a peut-être été mis à jour depuis que vous l’avez ouverte.",
  placeholder: "Page, nom ou partie d’un ID de tâche",
  searching: "Recherche de tâches",
  nothing: "Aucun résultat.",
  tooShort: "Les tâches sont recherchées à partir de quatre caractères.",
  noProject: "Ouvrez un projet pour chercher dans ses tâches.",
  searchedBack: (time: string) => `Les tâches antérieures au ${time} n’ont pas été parcourues.`,
  found: (count: string) => `Résultats\u00a0: ${count}`,
  copyId: "Copier l’ID de la tâche",
  copyIds: "Copier les ID des tâches sélectionnées",
  copyLink: "Copier le lien vers la tâche",
  groups: {
    actions: "Sélectionné ou ouvert",
    pages: "Pages",
    tasks: "Tâches",
    failures: "Échecs",
    projects: "Projets",
    schedules: "Planifications",
    rules: "Règles d’automatisation",
    queues: "Files",
    workers: "Workers",
    agents: "Agents"
  }
}
