import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"

export const audit: Texts["audit"] = {
  title: "Journal d’audit",
  tabs: "Parties du journal d’audit",
  log: "Journal",
  exports: "Exports",
  none: "Aucune entrée pour l’instant",
  noneHint: "Chaque modification du projet écrit une entrée, dans la même transaction.",
  noMatchHint: "Choisissez une autre action, un autre utilisateur, une autre décision ou période.",
  outcome: "Décision",
  anyOutcome: "Toutes les décisions",
  ofTarget: (id: string) => `Seulement les entrées sur ${id}`,
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
  address: "Adresse IP",
  addressHidden: "Seuls les administrateurs globaux voient les adresses IP.",
  row: "Entrée",
  result: "Résultat",
  metadata: "Métadonnées",
  target: "Cible",
  targetId: "Identifiant de la cible",
  exactTime: "Heure",
  chain: "Intégrité du journal",
  chainHint:
    "L’entrée la plus récente et sa signature sont vérifiées à chaque fois. Pour vérifier toutes les entrées indépendamment, lancez svc audit verify.",
  head: "Entrée la plus récente",
  headOk: "Signée avec une clé connue",
  verification: "Dernière vérification de toutes les entrées",
  verificationOff: "Non planifiée. L’administrateur du serveur peut l’activer.",
  states: { ok: "Intact", degraded: "Incomplète", failed: "Altéré" },
  forwarder: "Webhook",
  forwarderOff: "Désactivé. L’administrateur du serveur peut l’activer.",
  forwarderState: (sent, failed) => `${sent} livrées, ${failed} abandonnées`,
  waiting: (count: Count) => `${count.text} en attente`,
  create: "Exporter",
  createTitle: "Exporter le journal d’audit",
  createHint:
    "Le fichier contient les entrées qui correspondent aux filtres de cette page, les plus récentes d’abord. Il est écrit en arrière-plan.",
  filters: "Filtres",
  noFilters: "Toutes les entrées du projet",
  noExportsHint:
    "Choisissez des filtres dans le journal, puis exportez. Les fichiers sont conservés 7 jours, sauf si l’administrateur du serveur a choisi une autre durée."
}
