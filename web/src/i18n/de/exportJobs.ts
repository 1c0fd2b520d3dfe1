import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { plural } from "./plural.ts"

export const exportJobs: Texts["exportJobs"] = {
  title: "Exporte",
  export: "Exportieren",
  background: "Im Hintergrund exportieren …",
  question: "Alle passenden Tasks exportieren?",
  hint:
    "Die Datei wird im Hintergrund geschrieben, auch nachdem Sie die Seite geschlossen haben. Sie wird 7 Tage aufbewahrt, sofern der Administrator des Servers nichts anderes eingestellt hat.",
  matching: (count: Count) => plural(count, "# passender Task", "# passende Tasks"),
  moreMatching: (count: Count) => plural(count, "Mindestens # passender Task", "Mindestens # passende Tasks"),
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
  hidden: "Er enthält Argumente und Ergebnisse, die Ihre Rolle nicht sehen darf.",
  download: "Herunterladen",
  remove: "Löschen",
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
