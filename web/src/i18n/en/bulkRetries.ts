import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const bulkRetries = {
  title: common.bulkRetries,
  one: common.bulkRetry,
  singleCommands: "Single commands",
  status: common.status,
  phases: {
    running: common.running,
    paused: common.paused,
    cancelling: "Cancelled, waiting for the last outcomes",
    completed: common.completed,
    cancelled: common.cancelled,
    expired: "Expired"
  },
  counts: {
    succeeded: "Retried",
    failed: "Not retried",
    unknown: common.outcomeUnknown,
    unobserved: "Left out",
    claimed: "Command sent",
    pending: common.waiting
  },
  countHints: {
    succeeded: "The agent has confirmed the retry.",
    failed: "The agent refused the retry or failed.",
    unknown: "The command was sent, but it is not known whether it was executed.",
    unobserved: "The task was deleted or has changed, or its command was cancelled before it was sent.",
    claimed: "The command was issued and has no outcome yet.",
    pending: "No command has been issued yet."
  },
  outcomeTitle: "Outcome of the retried tasks",
  outcomes: {
    succeeded: common.succeededTasks,
    failed: "Failed again",
    waiting: "Still waiting",
    cancelled: common.cancelled,
    unknown: common.unknown
  },
  outcomeHints: {
    succeeded: "The task succeeded, or a later retry of it did.",
    failed: "The task failed again.",
    waiting: "The task waits or runs.",
    cancelled: "The task was cancelled or rejected.",
    unknown: "No agent has reported the task within a day, its end is unknown, or it was deleted."
  },
  failedAgain: (count: Count) => plural(count, "# failed again", "# failed again"),
  showFailedAgain: "Show the tasks that failed again",
  reasons: {
    task_deleted: "The task was deleted.",
    task_changed: "The task's state has changed since the retry was started.",
    task_retried: "Another command has already retried the task.",
    command_cancelled: "Its command was cancelled before it was sent.",
    refused: "The engine cannot retry the task without its arguments.",
    failed: "The agent refused the retry or failed.",
    unconfirmed: "The command was sent, but its outcome is unknown."
  },
  filter: common.filter,
  facts: common.details,
  progress: common.progress,
  ofTotal: common.ofTotal,
  done: "Done",
  failed: "Not retried",
  created: "Started",
  finished: "Finished",
  lastProgress: "Last progress",
  deadline: "Deadline",
  rate: "Rate",
  noRate: "No limit",
  perSecond: (rate: string) => `${rate} per second`,
  capped: (max: string) => `More tasks match. Only the oldest ${max} are retried.`,
  tasks: common.tasks,
  allTasks: common.all,
  task: common.task,
  reason: common.reason,
  newTask: "New task",
  noItems: "No tasks with this outcome",
  none: "No bulk retries yet",
  noneHint: "Open a failure group or filter the list of tasks, and retry them all.",
  pause: common.pause,
  resume: common.resume,
  cancel: "Cancel retry",
  cancelQuestion: "Cancel this bulk retry?",
  cancelHint: (count: Count) =>
    plural(
      count,
      "# task will not be retried. Commands that were sent are not taken back. A cancelled retry cannot be resumed.",
      "# tasks will not be retried. Commands that were sent are not taken back. A cancelled retry cannot be resumed."
    ),
  changeRate: "Change rate",
  rateField: "Retries per second",
  rateHint: "Empty: no limit.",
  rateResumes: "Empty: no limit. The retry continues at once.",
  maxField: "Maximum tasks",
  maxHint: (most: string) => `At most ${most}. If more match, the oldest are retried. Empty: all that match.`,
  matching: common.matchingTasks,
  takes: (part: string, all: string) => `The oldest ${part} of ${all} matching tasks`,
  takesOfMore: (part: string, all: string) => `The oldest ${part} of more than ${all} matching tasks`,
  engineNote: (engine: string, count: string) => `${engine} (${count}):`,
  byName: "By name",
  byException: "By exception",
  more: common.more,
  start: "Start retry"
}
