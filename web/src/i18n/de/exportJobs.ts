import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const exportJobs: Texts["exportJobs"] = {
  title: common.exports,
  export: common.export,
  background: "Im Hintergrund exportieren …",
  question: "Alle passenden Tasks exportieren?",
  hint:
    "Die Datei wird im Hintergrund geschrieben, auch nachdem Sie die Seite geschlossen haben. Sie wird 7 Tage aufbewahrt, sofern der Administrator des Servers nichts anderes eingestellt hat.",
  matching: common.matchingTasks,
  moreMatching: (count: Count) => plural(count, "Mindestens # passender Task", "Mindestens # passende Tasks"),
  start: "Export starten",
  format: "Format",
  formats: { csv: "CSV", json: "JSON", xlsx: "Excel (höchstens 25.000 Zeilen)" },
  status: common.status,
  statuses: { pending: common.waiting, running: "Wird geschrieben", completed: "Abgeschlossen", failed: common.failed },
  rows: "Zeilen",
  ofTotal: common.ofTotal,
  size: common.size,
  bytes: (count) => `${count} KB`,
  progress: (rows: string, size: string) => `${rows} Zeilen, ${size}`,
  by: common.by,
  created: "Angefragt",
  truncated: "Nur die neuesten Zeilen sind enthalten: Es gibt mehr Treffer, als eine Datei fasst.",
  hidden: "Er enthält Argumente und Ergebnisse, die Ihre Rolle nicht sehen darf.",
  download: common.download,
  remove: common.delete,
  removeName: (created: string) => `Export vom ${created} löschen`,
  removeQuestion: "Diesen Export löschen?",
  removeHint: "Seine Datei lässt sich danach nicht mehr herunterladen. Ein Export, der gerade geschrieben wird, endet.",
  begun: "Tasks werden exportiert",
  ready: "Export fertig",
  failed: "Export fehlgeschlagen",
  see: "Exporte anzeigen",
  none: "Noch keine Exporte",
  noneHint:
    "Wählen Sie über der Task-Liste „Im Hintergrund exportieren …“. Dateien werden 7 Tage aufbewahrt, sofern der Administrator des Servers nichts anderes eingestellt hat."
}
