import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const bulkJobs: Texts["bulkJobs"] = {
  title: common.bulkJobs,
  actions: { delete: "Suppression", cancel: "Annulation" },
  begun: { delete: "Suppression des tâches en cours", cancel: "Annulation des tâches en cours" },
  ended: { delete: "Suppression terminée", cancel: "Annulation terminée" },
  statuses: { running: common.running, completed: "Terminé", stopped: "Arrêté" },
  what: "Action",
  filter: common.filter,
  everyTask: "Toutes les tâches",
  hiddenQuery: "Il a des conditions sur des arguments ou des résultats que votre rôle ne permet pas de voir.",
  status: common.status,
  progress: common.progress,
  ofTotal: common.ofTotal,
  done: "Fait",
  parts: {
    pending: (count: Count) => `${count.text} sans résultat`,
    failed: (count: Count) => `${count.text} en échec`,
    unknown: (count: Count) => `${count.text} au résultat inconnu`,
    skipped: (count: Count) => plural(count, "# écartée", "# écartées")
  },
  by: common.by,
  created: "Début",
  action: common.actions,
  none: "Aucun traitement groupé",
  noneHint:
    "Sélectionnez des tâches dans la liste, ou toutes celles qui correspondent, puis supprimez-les ou annulez-les.",
  stop: "Arrêter",
  stopQuestion: "Arrêter ce traitement\u00a0?",
  stopHint:
    "Les tâches restantes ne changent pas. Les commandes émises se poursuivent. Un traitement arrêté ne peut pas reprendre.",
  cancelQuestion: "Annuler toutes les tâches correspondantes\u00a0?",
  toCancel: (count: Count) => plural(count, "# tâche non terminée", "# tâches non terminées"),
  moreToCancel: (count: Count) => plural(count, "Au moins # tâche non terminée", "Au moins # tâches non terminées"),
  endedLeftOut: (count: Count) => plural(count, "# est déjà terminée et écartée", "# sont déjà terminées et écartées"),
  cancelHint: "Chacune reçoit sa propre commande. Le traitement se poursuit si vous fermez la page.",
  see: "Voir les traitements groupés"
}
