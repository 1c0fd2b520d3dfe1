import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const approvals: Texts["approvals"] = {
  title: common.approvals,
  intro:
    "Actions qui nécessitent l’approbation d’une seconde personne. Les administrateurs les choisissent dans les paramètres.",
  filter: common.status,
  none: "Rien n’attend d’approbation",
  noneHint:
    "Les vidages de files, les grandes actions en masse et les règles qui relancent ou annulent apparaissent ici si les paramètres du projet exigent une approbation.",
  noneOfStatus: "Aucune approbation dans cet état",
  tabs: {
    pending: common.waiting,
    approved: "Terminées",
    failed: common.failed,
    rejected: "Rejetées",
    expired: "Expirées",
    all: common.all
  },
  statusHints: {
    pending: "Rien n’a encore été fait. L’action s’exécute au nom de l’utilisateur qui l’approuve.",
    approved: "Une seconde personne l’a approuvée, et elle a été exécutée.",
    failed: "Une seconde personne l’a approuvée, mais le serveur l’a ensuite refusée. Rien n’a été fait.",
    rejected: "Une seconde personne l’a rejetée. Rien n’a été fait.",
    expired: "Aucune seconde personne n’a décidé à temps. Rien n’a été fait. L’action peut être demandée de nouveau."
  },
  kinds: {
    purge_queue: "Vidage d’une file",
    bulk_retry: "Relance de nombreuses tâches",
    bulk_retry_request: common.bulkRetry,
    bulk_delete: "Suppression de nombreuses tâches",
    bulk_cancel: "Annulation de nombreuses tâches",
    rule_create: "Nouvelle règle d’automatisation",
    rule_update: "Modification d’une règle d’automatisation",
    rule_reset: "Disjoncteur d’une règle d’automatisation",
    membership_grant: "Nouvel administrateur du projet",
    membership_role: "Rôle d’un membre",
    invitation: "Invitation d’un administrateur",
    user_update: "Droits d’un compte",
    policy: "Modification de ce qui requiert une approbation"
  },
  requestedByName: (name) => `demandée par ${name}`,
  kind: common.kind,
  requestedBy: "Demandée par",
  requestedAt: "Demandée",
  expiresAt: common.expires,
  decidedBy: "Décidée par",
  decidedAt: "Décidée",
  reason: common.reason,
  request: "Demande",
  result: common.result,
  change: "Ce qui change",
  before: "Avant",
  after: "Après",
  revision: (r) => `Révision ${r}`,
  outdated:
    "La cible avait changé depuis la demande, ou l’action aurait concerné plus d’éléments qu’alors. Rien n’a été fait. Refaites la demande si elle est encore utile.",
  noResult:
    "Le serveur s’est arrêté avant d’enregistrer le résultat. Vérifiez si l’action a été exécutée\u00a0; elle n’est pas répétée.",
  approve: "Approuver",
  reject: "Rejeter",
  own: "Vous l’avez demandée\u00a0: un autre administrateur décide.",
  needsAdmin: "Un administrateur du projet décide.",
  approveQuestion: "Approuver et exécuter\u00a0?",
  approveHint: (name) => `Elle s’exécute aussitôt, en votre nom. ${name} l’a demandée et reçoit un message.`,
  rejectQuestion: "Rejeter cette action\u00a0?",
  rejectHint: (name) => `Rien n’est fait. ${name} reçoit un message avec le motif.`,
  rejectReason: common.reason,
  approved: "Approuvée et exécutée",
  failed: "Approuvée, puis refusée par le serveur",
  see: "Voir l’approbation",
  waiting: (count: Count) => plural(count, "# vous attend", "# vous attendent"),
  notWaiting: "Elle n’attend plus\u00a0: elle a été décidée ou a expiré."
}
