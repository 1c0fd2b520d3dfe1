import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const overview: Texts["overview"] = {
  title: common.overview,
  window: "Période",
  overTime: "Tâches au fil du temps",
  windows: {
    "1h": "1 heure",
    "6h": "6 heures",
    "24h": "24 heures",
    "72h": "3 jours",
    "7d": "7 jours",
    "30d": "30 jours",
    "90d": "90 jours"
  },
  throughput: "Tâches terminées",
  durations: common.runTime,
  waits: common.queueTime,
  waitsShort: common.queueTime,
  perHour: (count: string) => `${count} par heure`,
  failureRate: common.failureRate,
  succeeded: common.succeededTasks,
  failed: common.failedTasks,
  inTable: "Afficher sous forme de tableau",
  asChart: "Afficher sous forme de graphique",
  time: common.time,
  keysOfChart: "Les flèches gauche et droite montrent les valeurs de chaque moment.",
  noData: "Aucune donnée sur cette période",
  unfinished: "en cours",
  p50: "p50",
  p95: "p95",
  topFailing: "Tâches avec le plus d’échecs",
  topGroups: "Groupes d’échecs avec des tâches ouvertes",
  noGroups: "Aucun groupe n’a échoué pendant cette période",
  queues: common.queues,
  depth: common.depth,
  noFailing: "Aucune tâche n’a échoué pendant cette période",
  noQueues: "Aucun agent n’a encore signalé de file",
  name: common.name,
  workersOnline: "Workers en ligne",
  agentsOnline: "Agents en ligne",
  ofTotal: common.ofTotal
}
