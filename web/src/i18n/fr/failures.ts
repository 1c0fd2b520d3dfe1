import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const failures: Texts["failures"] = {
  title: common.failures,
  groups: "Groupes",
  status: common.status,
  statuses: {
    ongoing: "En cours",
    recovered: "Rétabli",
    regressed: "Réapparu",
    muted: "En sourdine",
    resolved: "Résolu"
  },
  openGroups: "Groupes ouverts",
  allStatuses: "Tous les groupes",
  search: "Chercher un groupe",
  sort: "Tri",
  sorts: {
    "": "Derniers vus d’abord",
    first_seen: "Plus récents d’abord",
    count: "Par tentatives en échec",
    escalating: "En aggravation d’abord"
  },
  assignee: "Responsable",
  anyone: "Tous les responsables",
  assignedToMe: "Assignés à moi",
  nobody: "Non assigné",
  window: "En échec depuis",
  anyTime: "N’importe quand",
  windows: {
    1: "La dernière heure",
    24: "Les dernières 24 heures",
    168: "Les 7 derniers jours",
    720: "Les 30 derniers jours"
  },
  engine: common.engine,
  allEngines: "Tous les moteurs",
  failure: "Échec",
  noException: "Aucune exception n’a été signalée",
  open: common.open,
  failLikeThis: (count: Count) => plural(count, "# échoue ainsi", "# échouent ainsi"),
  failedLikeThis: (count: Count) =>
    plural(count, "# tentative en échec, rétablie", "# tentatives en échec, toutes rétablies"),
  openNow: "Ouvertes actuellement",
  recovered: common.recovered,
  occurrences: "Tentatives en échec",
  occurrencesEver: "Tentatives en échec au total",
  firstSeen: "Première fois",
  afterDeploy: (duration, version) => `Vu pour la première fois ${duration} après ${version}`,
  lastSeen: "Dernière fois",
  none: "Aucun groupe d’échecs ouvert",
  noneHint:
    "Les tâches qui échouent pour la même cause apparaissent ici en un seul groupe. Les groupes en sourdine et résolus sont masqués.",
  noMatch: "Aucun groupe ne correspond",
  noMatchHint: "Choisissez un autre texte, état, responsable, une autre période ou un autre moteur.",
  fingerprint: "Empreinte",
  sample: "Dernier échec",
  showSample: common.openTheTask,
  sampleDeleted: "Sa tâche a été supprimée.",
  facts: common.details,
  tasks: common.tasks,
  allStates: common.all,
  showAll: "Afficher dans la liste des tâches",
  noTasks: "Aucune tâche du groupe n’est dans cet état.",
  queues: "Files de ses tâches les plus récentes",
  workers: "Workers de ses tâches les plus récentes",
  triage: "Traitement",
  resolve: "Résoudre",
  reopen: "Rouvrir",
  mute: "Mettre en sourdine",
  changeMute: "Modifier la sourdine",
  unmute: "Lever la sourdine",
  muteQuestion: "Mettre ce groupe en sourdine",
  muteHint: "D’ici là, il n’envoie pas d’alertes et ne demande pas d’attention.",
  muteOther: "En sourdine jusqu’à cette heure",
  muteUntil: { escalates: "Jusqu’à ce qu’il s’aggrave", next_deploy: "Jusqu’au prochain déploiement" },
  muteEnds: { escalates: "Il s’aggrave", next_deploy: "Le prochain déploiement" },
  mutedUntil: "En sourdine jusqu’à",
  since: "Depuis",
  by: common.by,
  note: "Note",
  addNote: "Ajouter une note",
  editNote: "Modifier la note",
  createRule: "Créer une règle",
  retryAll: "Tout relancer",
  retryQuestion: (name: string) => `Relancer toutes les tâches en échec de ${name}\u00a0?`,
  heatmap: "Quand les tâches échouent\u00a0: 4 dernières semaines par jour et par heure",
  weekday: "Jour",
  noFailureInWeeks: "Aucune tâche n’a échoué ces 4 dernières semaines.",
  mostFailures: (count: Count, day: string, time: string) =>
    plural(
      count,
      `Le plus souvent le ${day} à partir de ${time}\u00a0: # échec`,
      `Le plus souvent le ${day} à partir de ${time}\u00a0: # échecs`
    )
}
