import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const deliveries = {
  title: common.deliveries,
  delivery: "Delivery",
  status: common.status,
  statuses: { pending: common.pending, sent: "Sent", failed: common.failed, suppressed: "Not sent" },
  statusHints: {
    pending: "Waiting for its first or next attempt.",
    sent: "The receiver accepted it.",
    failed: "Ten attempts failed, or the error was permanent.",
    suppressed: "The channel was deleted or is not active, or its owner may no longer receive the message."
  },
  allStatuses: "All statuses",
  allChannels: "All channels",
  project: common.project,
  allProjects: common.allProjects,
  ofOneAlert: "Of one alert",
  clearFilter: common.showAll,
  channel: common.channel,
  trigger: common.trigger,
  task: common.task,
  attempts: common.attempts,
  response: "Response",
  when: "Last attempt",
  resent: "sent again",
  none: "No deliveries yet",
  noneHint: "Test a channel, or wait for the first alert. Every message to a channel appears here.",
  noneMatch: "No deliveries match",
  attempt: (number: string) => `Attempt ${number}`,
  took: (duration: string) => `took ${duration}`,
  code: common.statusCode,
  noResponse: "no HTTP status",
  responseTo: (number: string) => `Response to attempt ${number}`,
  toChannel: (name: string, type: string) => `to ${name} (${type})`,
  nextAttempt: "Next attempt",
  sentBy: (person: string) => `sent by ${person}`,
  noAttempt: "No attempt has finished yet.",
  resend: "Send again",
  clear: "Delete log",
  clearTitle: "Delete the delivery log",
  clearHint:
    "Deletes finished deliveries to all channels of the project, with their attempts. They can no longer be read or sent again. Pending deliveries and the audit log are kept.",
  which: "Which deliveries",
  olderThan: (duration: string) => `Older than ${duration}`,
  allEnded: "All finished",
  cleared: (count: Count) => plural(count, "# delivery deleted", "# deliveries deleted"),
  clearedHint: "Pending deliveries and the audit log are kept."
}
