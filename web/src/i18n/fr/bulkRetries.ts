import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const bulkRetries: Texts["bulkRetries"] = {
  title: common.bulkRetries,
  one: common.bulkRetry,
  singleCommands: "Commandes isolées",
  status: common.status,
  phases: {
    running: common.running,
    paused: common.paused,
    cancelling: "Annulée, en attente des derniers résultats",
    completed: common.completed,
    cancelled: common.cancelled,
    expired: "Expirée"
  },
  counts: {
    succeeded: "Relancées",
    failed: "Non relancées",
    unknown: common.outcomeUnknown,
    unobserved: "Écartées",
    claimed: "Commande envoyée",
    pending: common.waiting
  },
  countHints: {
    succeeded: "L’agent a confirmé la relance.",
    failed: "L’agent a refusé ou a échoué.",
    unknown: "La commande a été envoyée et on ignore si elle a été exécutée.",
    unobserved: "La tâche n’existe plus ou a changé, ou sa commande a été annulée avant l’envoi.",
    claimed: "La commande est émise et n’a pas encore de résultat.",
    pending: "Aucune commande n’a encore été émise."
  },
  outcomeTitle: "Résultat des tâches relancées",
  outcomes: {
    succeeded: common.succeededTasks,
    failed: "De nouveau en échec",
    waiting: "Encore en attente",
    cancelled: "Annulées",
    unknown: "Inconnu"
  },
  outcomeHints: {
    succeeded: "La tâche a réussi, ou une relance ultérieure a réussi.",
    failed: "La tâche a de nouveau échoué.",
    waiting: "La tâche attend ou s’exécute.",
    cancelled: "La tâche a été annulée ou rejetée.",
    unknown: "Aucun agent n’a signalé la tâche en un jour, sa fin est inconnue ou elle a été supprimée."
  },
  failedAgain: (count: Count) => plural(count, "# a de nouveau échoué", "# ont de nouveau échoué"),
  showFailedAgain: "Afficher les tâches de nouveau en échec",
  reasons: {
    task_deleted: "La tâche a été supprimée.",
    task_changed: "La tâche a un autre état qu’au début de la relance.",
    task_retried: "Une autre commande a relancé la tâche depuis.",
    command_cancelled: "Sa commande a été annulée avant l’envoi.",
    refused: "Le moteur ne peut pas relancer la tâche sans ses arguments.",
    failed: "L’agent a refusé ou a échoué.",
    unconfirmed: "La commande a été envoyée et son résultat est inconnu."
  },
  filter: common.filter,
  facts: common.details,
  progress: common.progress,
  ofTotal: common.ofTotal,
  done: "Faites",
  failed: "Non relancées",
  created: "Démarrée",
  finished: "Terminée",
  lastProgress: "Dernière avancée",
  deadline: "Échéance",
  rate: "Débit",
  noRate: "Sans limite",
  perSecond: (rate: string) => `${rate} par seconde`,
  capped: (max: string) => `D’autres tâches correspondent. Seules les ${max} plus anciennes sont relancées.`,
  tasks: common.tasks,
  allTasks: common.all,
  task: common.task,
  reason: common.reason,
  newTask: "Nouvelle tâche",
  noItems: "Aucune tâche n’a ce résultat",
  none: "Pas encore de relance groupée",
  noneHint: "Ouvrez un groupe d’échecs ou filtrez la liste des tâches, puis relancez-les toutes.",
  pause: common.pause,
  resume: common.resume,
  cancel: "Annuler la relance",
  cancelQuestion: "Annuler cette relance groupée\u00a0?",
  cancelHint: (count: Count) =>
    plural(
      count,
      "# tâche ne sera pas relancée. Les commandes envoyées ne sont pas reprises. Une relance annulée ne peut pas reprendre.",
      "# tâches ne seront pas relancées. Les commandes envoyées ne sont pas reprises. Une relance annulée ne peut pas reprendre."
    ),
  changeRate: "Modifier le débit",
  rateField: "Relances par seconde",
  rateHint: "Vide\u00a0: sans limite.",
  rateResumes: "Vide\u00a0: sans limite. La relance reprend aussitôt.",
  maxField: "Nombre maximal de tâches",
  maxHint: (most: string) =>
    `Au plus ${most}. Si davantage correspondent, les plus anciennes sont relancées. Vide\u00a0: toutes celles qui correspondent.`,
  matching: common.matchingTasks,
  takes: (part: string, all: string) => `Les ${part} plus anciennes sur ${all} tâches correspondantes`,
  takesOfMore: (part: string, all: string) => `Les ${part} plus anciennes sur plus de ${all} tâches correspondantes`,
  engineNote: (engine: string, count: string) => `${engine} (${count})\u00a0:`,
  byName: "Par nom",
  byException: "Par exception",
  more: common.more,
  start: "Démarrer la relance"
}
