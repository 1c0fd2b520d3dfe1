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
  openKey: "Entrée ouvre les tâches de ce moment.",
  noData: "Aucune donnée sur cette période",
  unfinished: "en cours",
  p50: "p50",
  p95: "p95",
  p99: "p99",
  compare: "Comparer à la semaine dernière",
  comparedWithLastWeek: "par rapport à la semaine dernière",
  weekAgo: (series) => `${series}, semaine dernière`,
  marks: {
    title: "Repères",
    hide: "Masquer sur tous les graphiques",
    show: "Afficher sur tous les graphiques",
    kinds: {
      deploy: "Déploiement",
      command: common.command,
      rule: common.rule,
      missed_run: "Exécution manquée",
      maintenance: "Maintenance"
    }
  },
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
  ofTotal: common.ofTotal,
  dismiss: "Masquer",
  firstSteps: {
    title: "Premiers pas",
    done: "Fait",
    steps: {
      connect: {
        name: "Connecter un agent",
        hint:
          "Il signale les tâches de votre moteur. Choisissez le moteur, copiez les lignes et voyez arriver le premier événement.",
        action: "Connecter"
      },
      task: {
        name: "Voir une tâche",
        hint: "La liste montre chaque tâche dès qu’un agent l’a signalée.",
        action: "Ouvrir la liste"
      },
      subscribe: {
        name: "S’abonner aux alertes",
        hint: "Vous recevez un message quand des tâches commencent à échouer, et un autre quand elles se rétablissent.",
        action: "S’abonner"
      },
      invite: {
        name: "Inviter un collègue",
        hint: "Vos collègues voient les mêmes tâches et approuvent ce qui demande une deuxième personne.",
        action: common.invite
      },
      factor: {
        name: "Activer le second facteur",
        hint: "Votre compte demande alors, outre le mot de passe, un code de votre téléphone.",
        action: "Configurer"
      }
    }
  },
  demo: {
    label: "Cette démo",
    intro: "Cette boutique est une démo. En une minute\u00a0:",
    failures: "relancer de nombreuses tâches à la fois",
    alert: "voir ce qui ne va pas en ce moment",
    approval: "décider de la demande de Mara",
    rule: "essayer une règle sur des tâches passées"
  },
  groupBy: "Grouper par",
  groupings: { queue: "Par file", name: "Par nom de tâche", worker: common.byWorker },
  groupTitles: {
    queue: "Tâches terminées par file",
    name: "Tâches terminées par nom",
    worker: "Tâches terminées par worker"
  },
  otherGroups: "Toutes les autres",
  beyondWorkers: (most: string) =>
    `«\u00a0Toutes les autres\u00a0» contient les workers au-delà des ${most} premiers noms des 8 derniers jours.`,
  noQueue: "Sans file"
}
