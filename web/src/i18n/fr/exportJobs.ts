import type { Texts } from "../en.ts"

export const exportJobs: Texts["exportJobs"] = {
  title: "Exports",
  export: "Exporter",
  background: "Exporter en arrière-plan…",
  question: "Exporter toutes les tâches correspondantes\u00a0?",
  hint:
    "Le fichier est écrit en arrière-plan, même une fois la page fermée. Il est supprimé SVC_EXPORT_JOBS_RETENTION_DAYS jours après la fin de l’export (7 par défaut).",
  matching: (count: string) => `Tâches correspondantes\u00a0: ${count}`,
  moreMatching: (count: string) => `Tâches correspondantes\u00a0: au moins ${count}`,
  start: "Lancer l’export",
  format: "Format",
  formats: { csv: "CSV", json: "JSON", xlsx: "Excel (25 000 lignes au plus)" },
  status: "Statut",
  statuses: { pending: "En attente", running: "En cours d’écriture", completed: "Terminé", failed: "Échoué" },
  rows: "Lignes",
  ofTotal: (part: string, total: string) => `${part} sur ${total}`,
  size: "Taille",
  bytes: (count) => `${count} ko`,
  progress: (rows: string, size: string) => `${rows} lignes, ${size}`,
  by: "Par",
  created: "Demandé",
  truncated: "Seules les lignes les plus récentes y sont\u00a0: il y en a plus qu’un fichier ne peut en contenir.",
  hidden: "Il contient des arguments et des résultats que vous ne pouvez pas voir.",
  download: "Télécharger",
  remove: "Supprimer",
  removeName: (created: string) => `Supprimer l’export du ${created}`,
  removeQuestion: "Supprimer cet export\u00a0?",
  removeHint: "Son fichier ne pourra plus être téléchargé. Un export en cours d’écriture s’arrête.",
  begun: "Export des tâches en cours",
  ready: "L’export est prêt",
  failed: "L’export a échoué",
  see: "Voir les exports",
  none: "Aucun export pour l’instant",
  noneHint:
    "Choisissez «\u00a0Exporter en arrière-plan…\u00a0» au-dessus de la liste des tâches. Un fichier est supprimé SVC_EXPORT_JOBS_RETENTION_DAYS jours après la fin de l’export (7 par défaut)."
}
