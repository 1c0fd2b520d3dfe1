import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const exportJobs = {
  title: common.exports,
  export: common.export,
  background: "Export in the background…",
  question: "Export all matching tasks?",
  hint:
    "The file is written in the background, also after you close the page. It is kept for 7 days, unless the server's administrator has set another time.",
  matching: common.matchingTasks,
  moreMatching: (count: Count) => plural(count, "At least # matching task", "At least # matching tasks"),
  start: "Start export",
  format: "Format",
  formats: { csv: "CSV", json: "JSON", xlsx: "Excel (at most 25,000 rows)" },
  status: common.status,
  statuses: { pending: common.waiting, running: "Writing", completed: "Completed", failed: common.failed },
  rows: "Rows",
  ofTotal: common.ofTotal,
  size: common.size,
  bytes: (count: string) => `${count} KB`,
  progress: (rows: string, size: string) => `${rows} rows, ${size}`,
  by: common.by,
  created: "Requested",
  truncated: "Only the newest rows are in it: more match than a file can hold.",
  hidden: "It shows arguments and results, which your role cannot see.",
  download: common.download,
  remove: common.delete,
  removeName: (created: string) => `Delete the export of ${created}`,
  removeQuestion: "Delete this export?",
  removeHint: "Its file can no longer be downloaded. An export that is being written stops.",
  begun: "Exporting tasks",
  ready: "Export ready",
  failed: "Export failed",
  see: "Show exports",
  none: "No exports yet",
  noneHint:
    "Choose “Export in the background…” above the list of tasks. Files are kept for 7 days, unless the server's administrator has set another time."
}
