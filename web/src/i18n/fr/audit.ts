import type { Texts } from "../en.ts"

export const audit: Texts["audit"] = {
  title: "Journal d’audit",
  tabs: "Parties du journal d’audit",
  log: "Journal",
  exports: "Exports",
  none: "Aucune ligne pour l’instant",
  noneHint: "Chaque modification du projet écrit une ligne, dans la même transaction.",
  noMatchHint: "Choisissez une autre action, personne, décision ou période.",
  outcome: "Décision",
  anyOutcome: "Toutes les décisions",
  ofTarget: (id: string) => `Seulement ce qui concerne ${id}`,
  ofAllTargets: "Tout afficher",
  outcomes: { allow: "Autorisée", deny: "Refusée" },
  since: "Période",
  windows: {
    "1h": "Dernière heure",
    "24h": "Dernières 24 heures",
    "7d": "7 derniers jours",
    "30d": "30 derniers jours",
    all: "Toute la période"
  },
  address: "Adresse source",
  addressHidden: "Seuls les administrateurs globaux voient les adresses.",
  row: "Ligne",
  result: "Résultat",
  metadata: "Métadonnées",
  target: "Cible",
  targetId: "Identifiant de la cible",
  exactTime: "Heure",
  chain: "Intégrité de tout le journal",
  chainHint:
    "La ligne la plus récente et sa signature sont vérifiées à chaque fois. Seul svc audit verify lit toutes les lignes sans faire confiance.",
  head: "Ligne la plus récente",
  headOk: "Signée avec une clé connue",
  verification: "Dernière vérification de toutes les lignes",
  verificationOff: "Non planifiée (SVC_AUDIT_CHAIN_VERIFY_ENABLED)",
  states: { ok: "Intact", degraded: "Non terminée", failed: "Altéré" },
  forwarder: "Webhook",
  forwarderOff: "Désactivé (SVC_AUDIT_WEBHOOK_URL)",
  forwarderState: (sent, failed) => `${sent} livrées, ${failed} abandonnées`,
  waiting: (count) => `${count} en attente`,
  create: "Exporter",
  createTitle: "Exporter le journal d’audit",
  createHint:
    "Le fichier contient les lignes qui correspondent aux filtres de cette page, les plus récentes d’abord. Il est écrit en arrière-plan.",
  filters: "Filtres",
  noFilters: "Toutes les lignes du projet",
  noExportsHint:
    "Choisissez des filtres dans le journal, puis exportez. Un fichier est supprimé SVC_EXPORT_JOBS_RETENTION_DAYS jours après la fin de l’export (7 par défaut)."
}
