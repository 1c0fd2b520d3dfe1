import type { Texts } from "../en.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const names: Texts["names"] = {
  queues: common.queues,
  schedules: "Planifications qui l’exécutent",
  noSchedule: "Aucune planification n’exécute cette tâche.",
  groups: "Groupes d’échecs",
  runs: "50 dernières exécutions",
  noRun: "Aucune exécution n’est enregistrée.",
  workers: "Workers des 50 dernières exécutions",
  runTimes: "Répartition des durées d’exécution",
  queueTimes: "Répartition des temps en file",
  tasksOfRange: (count, from, to) =>
    plural(
      count,
      `# tâche a duré de ${from} à ${to}`,
      `# tâches ont duré de ${from} à ${to}`
    ),
  keysOfDistribution: "Les flèches vont de barre en barre, Maj étend la sélection et Entrée ouvre ses tâches."
}
