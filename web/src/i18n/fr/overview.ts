import type { Texts } from "../en.ts"

export const overview: Texts["overview"] = {
  title: "Aperçu",
  window: "Période",
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
  durations: "Durée d’exécution",
  waits: "Attente avant le premier démarrage",
  waitsShort: "Attente",
  perHour: (count: string) => `${count} par heure`,
  failureRate: "Taux d’échec",
  succeeded: "Réussies",
  failed: "Échouées",
  inTable: "Afficher sous forme de tableau",
  asChart: "Afficher sous forme de graphique",
  time: "Heure",
  p50: "p50",
  p95: "p95",
  topFailing: "Tâches avec le plus d’échecs",
  topGroups: "Groupes d’échecs avec des tâches ouvertes",
  noGroups: "Aucun groupe n’a échoué sur cette période",
  queues: "Files",
  depth: "En attente",
  noFailing: "Aucune tâche n’a échoué pendant cette période",
  noQueues: "Aucun agent n’a encore signalé de file",
  name: "Nom",
  workersOnline: "Workers en ligne",
  agentsOnline: "Agents en ligne",
  ofTotal: (part: string, total: string) => `${part} sur ${total}`
}
