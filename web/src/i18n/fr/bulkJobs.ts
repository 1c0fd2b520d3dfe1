import type { Texts } from "../en.ts"

export const bulkJobs: Texts["bulkJobs"] = {
  title: "Traitements groupés",
  actions: { delete: "Suppression", cancel: "Annulation" },
  begun: { delete: "Suppression des tâches en cours", cancel: "Annulation des tâches en cours" },
  ended: { delete: "La suppression est terminée", cancel: "L’annulation est terminée" },
  statuses: { running: "En cours", completed: "Terminé", stopped: "Arrêté" },
  what: "Action",
  filter: "Filtre",
  everyTask: "Toutes les tâches",
  status: "État",
  progress: "Progression",
  ofTotal: (part: string, total: string) => `${part} sur ${total}`,
  done: "Fait",
  parts: {
    pending: (count: string) => `Sans résultat\u00a0: ${count}`,
    failed: (count: string) => `Échecs\u00a0: ${count}`,
    unknown: (count: string) => `Résultat inconnu\u00a0: ${count}`,
    skipped: (count: string) => `Écartées\u00a0: ${count}`
  },
  by: "Par",
  created: "Début",
  action: "Actions",
  none: "Aucun traitement groupé",
  noneHint:
    "Sélectionnez dans la liste des tâches, ou toutes celles qui correspondent, puis supprimez-les ou annulez-les.",
  stop: "Arrêter",
  stopQuestion: "Arrêter ce traitement\u00a0?",
  stopHint:
    "Les tâches restantes ne changent pas. Les commandes émises se poursuivent. Un traitement arrêté ne peut pas reprendre.",
  cancelQuestion: "Annuler toutes les tâches correspondantes\u00a0?",
  toCancel: (count: string) => `Tâches non terminées\u00a0: ${count}`,
  moreToCancel: (count: string) => `Tâches non terminées\u00a0: au moins ${count}`,
  endedLeftOut: (count: string) => `Écartées, car déjà terminées\u00a0: ${count}`,
  cancelHint: "Chacune reçoit sa propre commande. Le traitement se poursuit si vous fermez la page.",
  see: "Voir les traitements groupés"
}
