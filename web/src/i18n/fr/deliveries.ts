import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const deliveries: Texts["deliveries"] = {
  title: common.deliveries,
  delivery: "Envoi",
  status: common.status,
  statuses: { pending: common.pending, sent: "Envoyé", failed: common.failed, suppressed: "Non envoyé" },
  statusHints: {
    pending: "Il attend sa première ou sa prochaine tentative.",
    sent: "Le destinataire l’a accepté.",
    failed: "Dix tentatives ont échoué, ou une erreur permanente s’est produite.",
    suppressed: "Le canal a été supprimé ou n’est pas actif, ou son propriétaire ne peut plus recevoir le message."
  },
  allStatuses: "Tous les états",
  allChannels: "Tous les canaux",
  project: common.project,
  allProjects: common.allProjects,
  ofOneAlert: "D’une seule alerte",
  clearFilter: common.showAll,
  channel: common.channel,
  trigger: common.trigger,
  task: common.task,
  attempts: common.attempts,
  response: "Réponse",
  when: "Dernière tentative",
  resent: "renvoyé",
  none: "Aucun envoi pour l’instant",
  noneHint: "Testez un canal, ou attendez la première alerte\u00a0: chaque message vers un canal apparaît ici.",
  noneMatch: "Aucun envoi ne correspond",
  attempt: (number: string) => `Tentative ${number}`,
  took: (duration: string) => `durée ${duration}`,
  code: common.statusCode,
  noResponse: "aucun code HTTP",
  responseTo: (number: string) => `Réponse à la tentative ${number}`,
  toChannel: (name: string, type: string) => `vers ${name} (${type})`,
  nextAttempt: "Prochaine tentative",
  sentBy: (person: string) => `envoyé par ${person}`,
  noAttempt: "Aucune tentative n’est encore terminée.",
  resend: "Renvoyer",
  clear: "Supprimer le journal",
  clearTitle: "Supprimer le journal des envois",
  clearHint:
    "Supprime les envois terminés vers tous les canaux du projet, avec leurs tentatives. Ils ne peuvent ensuite plus être lus ni renvoyés. Les envois en attente et le journal d’audit sont conservés.",
  which: "Quels envois",
  olderThan: (duration: string) => `Plus anciens que ${duration}`,
  allEnded: "Tous ceux qui sont terminés",
  cleared: (count: Count) => plural(count, "# envoi supprimé", "# envois supprimés"),
  clearedHint: "Les envois en attente et le journal d’audit sont conservés."
}
