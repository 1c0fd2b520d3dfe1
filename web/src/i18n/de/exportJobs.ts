import type { Texts } from "../en.ts"

export const exportJobs: Texts["exportJobs"] = {
  title: "Exporte",
  export: "Exportieren",
  background: "Im Hintergrund exportieren …",
  question: "Alle passenden Tasks exportieren?",
  hint:
    "Die Datei wird im Hintergrund geschrieben, auch nachdem Sie die Seite geschlossen haben. Sie wird SVC_EXPORT_JOBS_RETENTION_DAYS Tage nach dem Ende des Exports gelöscht (Standard: 7).",
  matching: (count: string) => `Passende Tasks: ${count}`,
  moreMatching: (count: string) => `Passende Tasks: mindestens ${count}`,
  start: "Export starten",
  format: "Format",
  formats: { csv: "CSV", json: "JSON", xlsx: "Excel (höchstens 25.000 Zeilen)" },
  status: "Status",
  statuses: { pending: "Wartet", running: "Wird geschrieben", completed: "Abgeschlossen", failed: "Fehlgeschlagen" },
  rows: "Zeilen",
  ofTotal: (part: string, total: string) => `${part} von ${total}`,
  size: "Größe",
  bytes: (count) => `${count} KB`,
  progress: (rows: string, size: string) => `${rows} Zeilen, ${size}`,
  by: "Von",
  created: "Angefordert",
  truncated: "Nur die neuesten Zeilen sind enthalten: Es gibt mehr Treffer, als eine Datei fasst.",
  hidden: "Er enthält Argumente und Ergebnisse, die Sie nicht sehen dürfen.",
  download: "Herunterladen",
  remove: "Löschen",
  removeName: (created: string) => `Export vom ${created} löschen`,
  removeQuestion: "Diesen Export löschen?",
  removeHint: "Seine Datei lässt sich danach nicht mehr herunterladen. Ein Export, der gerade geschrieben wird, endet.",
  begun: "Tasks werden exportiert",
  ready: "Der Export ist fertig",
  failed: "Der Export ist fehlgeschlagen",
  see: "Exporte ansehen",
  none: "Noch kein Export",
  noneHint:
    "Wählen Sie über der Taskliste „Im Hintergrund exportieren …“. Eine Datei wird SVC_EXPORT_JOBS_RETENTION_DAYS Tage nach dem Ende des Exports gelöscht (Standard: 7)."
}
