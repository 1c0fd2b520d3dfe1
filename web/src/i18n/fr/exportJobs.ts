import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const exportJobs: Texts["exportJobs"] = {
  title: common.exports,
  export: common.export,
  background: "Exporter en arrière-plan…",
  question: "Exporter toutes les tâches correspondantes\u00a0?",
  hint:
    "Le fichier est écrit en arrière-plan, même une fois la page fermée. Il est conservé 7 jours, sauf si l’administrateur du serveur a choisi une autre durée.",
  matching: common.matchingTasks,
  moreMatching: (count: Count) => plural(count, "Au moins # tâche correspondante", "Au moins # tâches correspondantes"),
  start: "Lancer l’export",
  format: "Format",
  formats: { csv: "CSV", json: "JSON", xlsx: "Excel (25 000 lignes au plus)" },
  status: common.status,
  statuses: { pending: common.waiting, running: "En cours d’écriture", completed: "Terminé", failed: common.failed },
  rows: "Lignes",
  ofTotal: common.ofTotal,
  size: common.size,
  bytes: (count) => `${count} ko`,
  progress: (rows: string, size: string) => `${rows} lignes, ${size}`,
  by: common.by,
  created: "Demandé",
  truncated: "Seules les lignes les plus récentes y sont\u00a0: il y en a plus qu’un fichier ne peut en contenir.",
  hidden: "Il contient des arguments et des résultats que votre rôle ne permet pas de voir.",
  download: common.download,
  remove: common.delete,
  removeName: (created: string) => `Supprimer l’export du ${created}`,
  removeQuestion: "Supprimer cet export\u00a0?",
  removeHint: "Son fichier ne pourra plus être téléchargé. Un export en cours d’écriture s’arrête.",
  begun: "Export des tâches en cours",
  ready: "Export prêt",
  failed: "Échec de l’export",
  see: "Voir les exports",
  none: "Aucun export pour l’instant",
  noneHint:
    "Choisissez «\u00a0Exporter en arrière-plan…\u00a0» au-dessus de la liste des tâches. Les fichiers sont conservés 7 jours, sauf si l’administrateur du serveur a choisi une autre durée."
}
