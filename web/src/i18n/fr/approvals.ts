import type { Texts } from "../en.ts"

export const approvals: Texts["approvals"] = {
  title: "Approbations",
  intro:
    "Opérations qui attendent l’approbation d’une seconde personne. Les paramètres du projet déterminent lesquelles attendent.",
  filter: "Statut",
  none: "Rien n’attend une seconde personne",
  noneHint:
    "Les purges, les grandes opérations en masse et les règles qui relancent ou annulent apparaissent ici, si les paramètres du projet l’exigent.",
  noneOfStatus: "Aucune approbation avec ce statut",
  tabs: {
    pending: "En attente",
    approved: "Effectuées",
    failed: "Échouées",
    rejected: "Rejetées",
    expired: "Expirées",
    all: "Toutes"
  },
  statusHints: {
    pending: "Rien n’a encore été fait. L’opération est effectuée au nom de la personne qui l’approuve.",
    approved: "Une seconde personne l’a approuvée, et elle a été effectuée.",
    failed: "Une seconde personne l’a approuvée, puis le serveur brain l’a refusée. Rien n’a été fait.",
    rejected: "Une seconde personne l’a rejetée. Rien n’a été fait.",
    expired: "Aucune seconde personne n’a décidé à temps. Rien n’a été fait. La personne peut renouveler sa demande."
  },
  kinds: {
    purge_queue: "Purge d’une file",
    bulk_retry: "Relance de nombreuses tâches",
    bulk_retry_request: "Relance en masse durable",
    bulk_delete: "Suppression de nombreuses tâches",
    bulk_cancel: "Annulation de nombreuses tâches",
    rule_create: "Nouvelle règle d’automatisation",
    rule_update: "Modification d’une règle d’automatisation",
    rule_reset: "Disjoncteur d’une règle d’automatisation",
    membership_grant: "Administrateur du projet",
    membership_role: "Rôle d’un membre",
    invitation: "Invitation d’un administrateur",
    user_update: "Droits d’un compte",
    policy: "Modification de ce qui requiert une approbation"
  },
  requestedByName: (name) => `demandée par ${name}`,
  kind: "Type",
  requestedBy: "Demandée par",
  requestedAt: "Demandée",
  expiresAt: "Expire",
  decidedBy: "Décidée par",
  decidedAt: "Décidée",
  reason: "Motif",
  request: "Demande",
  result: "Résultat",
  change: "Ce qui change",
  before: "Avant",
  after: "Après",
  revision: (r) => `Révision ${r}`,
  outdated:
    "Ce qui devait être modifié avait changé depuis la demande, ou aurait concerné plus d’éléments qu’alors. Rien n’a été fait. Si c’est encore nécessaire, il faut en refaire la demande.",
  noResult:
    "Le brain s’est arrêté avant d’enregistrer le résultat. Vérifiez si l’opération a été effectuée\u00a0; elle n’est pas répétée.",
  approve: "Approuver",
  reject: "Rejeter",
  own: "Vous l’avez demandée\u00a0: un autre administrateur décide.",
  needsAdmin: "Un administrateur du projet décide.",
  approveQuestion: "Approuver et effectuer cette opération\u00a0?",
  approveHint: (name) => `Elle est effectuée immédiatement et en votre nom. ${name} l’a demandée et reçoit un message.`,
  rejectQuestion: "Rejeter cette opération\u00a0?",
  rejectHint: (name) => `Rien n’est fait. ${name} reçoit un message avec le motif.`,
  rejectReason: "Motif",
  approved: "Approuvée et effectuée",
  failed: "Approuvée, puis refusée",
  see: "Voir l’approbation",
  waiting: (count) => `${count} vous attendent`,
  notWaiting: "Elle n’attend plus\u00a0: elle a été décidée ou a expiré."
}
