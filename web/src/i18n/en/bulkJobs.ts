import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const bulkJobs = {
  title: common.bulkJobs,
  actions: { delete: "Delete", cancel: "Cancel" },
  begun: { delete: "Deleting tasks", cancel: "Cancelling tasks" },
  ended: { delete: "Deletion finished", cancel: "Cancellation finished" },
  statuses: { running: common.running, completed: "Completed", stopped: "Stopped" },
  what: "Action",
  filter: common.filter,
  everyTask: "All tasks",
  hiddenQuery: "It has conditions on arguments or results, which your role cannot see.",
  status: common.status,
  progress: common.progress,
  ofTotal: common.ofTotal,
  done: "Done",
  parts: {
    pending: (count: Count) => `${count.text} without an outcome`,
    failed: (count: Count) => `${count.text} failed`,
    unknown: (count: Count) => `${count.text} with unknown outcome`,
    skipped: (count: Count) => `${count.text} skipped`
  },
  by: common.by,
  created: "Started",
  action: common.actions,
  none: "No bulk jobs yet",
  noneHint: "Select tasks in the list, or all that match, then delete or cancel them.",
  stop: "Stop",
  stopQuestion: "Stop this job?",
  stopHint: "Remaining tasks stay as they are. Issued commands continue. A stopped job cannot be resumed.",
  cancelQuestion: "Cancel all matching tasks?",
  toCancel: (count: Count) => plural(count, "# unfinished task", "# unfinished tasks"),
  moreToCancel: (count: Count) => plural(count, "At least # unfinished task", "At least # unfinished tasks"),
  endedLeftOut: (count: Count) =>
    plural(count, "# has already ended and is left out", "# have already ended and are left out"),
  cancelHint: "Each task gets its own command. The job continues if you close the page.",
  see: "Show bulk jobs"
}
