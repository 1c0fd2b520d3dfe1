import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const audit: Texts["audit"] = {
  title: common.auditLog,
  tabs: "Parties du journal d’audit",
  log: "Journal",
  exports: common.exports,
  none: "Aucune entrée pour l’instant",
  noneHint: "Chaque modification du projet écrit une entrée, dans la même transaction.",
  noMatchHint: "Choisissez une autre action, un autre utilisateur, une autre décision ou période.",
  outcome: "Décision",
  anyOutcome: "Toutes les décisions",
  ofTarget: (id: string) => `Seulement les entrées sur ${id}`,
  ofAllTargets: common.showAll,
  outcomes: { allow: "Autorisée", deny: common.refused },
  since: "Période",
  windows: {
    "1h": "Dernière heure",
    "24h": common.last24Hours,
    "7d": "7 derniers jours",
    "30d": "30 derniers jours",
    all: "Toute la période"
  },
  address: common.ipAddress,
  addressHidden: "Seuls les administrateurs globaux voient les adresses IP.",
  row: "Entrée",
  result: common.result,
  metadata: "Métadonnées",
  target: common.target,
  targetId: "Identifiant de la cible",
  exactTime: common.time,
  chain: "Intégrité du journal",
  chainHint:
    "L’entrée la plus récente et sa signature sont vérifiées à chaque fois. Pour vérifier toutes les entrées indépendamment, lancez svc audit verify.",
  head: "Entrée la plus récente",
  headOk: "Signée avec une clé connue",
  verification: "Dernière vérification de toutes les entrées",
  fromEntry: "À partir de l’entrée rompue",
  verify: {
    never: "Pas encore vérifié",
    start: "Vérifier toutes les entrées",
    starting: "Démarrage…",
    progress: (checked: string, total: string) => `${checked} entrées vérifiées sur ${total}`,
    results: {
      intact: (rows: string, _seq: string) => `Intact\u00a0: les ${rows} entrées.`,
      broken: (rows: string, seq: string) => `Rompu à l’entrée ${seq}, après ${rows} entrées intactes.`,
      error: (_rows: string, _seq: string) => "La vérification n’a pas abouti. La cause est dans le journal du serveur."
    },
    problems: {
      changed: "L’entrée a été modifiée.",
      missing: "Une ou plusieurs entrées ont été retirées ici.",
      inserted: "L’entrée ne vient pas du serveur, ou suit la plus récente.",
      reordered: "L’entrée est à un autre endroit.",
      cut: "Les entrées les plus récentes manquent.",
      key_unknown: "La clé de l’entrée est inconnue.",
      head: "La trace de l’entrée la plus récente ne correspond pas au journal.",
      watermark: "Le début du journal n’est pas fiable."
    },
    showEntry: "Afficher l’entrée"
  },
  states: { ok: "Intact", degraded: "Incomplète", failed: "Altéré" },
  forwarder: common.webhook,
  forwarderOff: "Désactivé. L’administrateur du serveur peut l’activer.",
  forwarderState: (sent, failed) => `${sent} livrées, ${failed} abandonnées`,
  waiting: (count: Count) => `${count.text} en attente`,
  create: common.export,
  createTitle: "Exporter le journal d’audit",
  createHint:
    "Le fichier contient les entrées qui correspondent aux filtres de cette page, les plus récentes d’abord. Il est écrit en arrière-plan.",
  filters: common.filters,
  noFilters: "Toutes les entrées du projet",
  noExportsHint:
    "Choisissez des filtres dans le journal, puis exportez. Les fichiers sont conservés 7 jours, sauf si l’administrateur du serveur a choisi une autre durée."
}
