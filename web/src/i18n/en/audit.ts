import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const audit = {
  title: common.auditLog,
  tabs: "Parts of the audit log",
  log: "Log",
  exports: common.exports,
  none: "No entries yet",
  noneHint: "Each change in the project writes one entry, in the same transaction.",
  noMatchHint: "Choose another action, user, outcome or time.",
  outcome: "Outcome",
  anyOutcome: "All outcomes",
  ofTarget: (id: string) => `Only entries about ${id}`,
  ofAllTargets: common.showAll,
  outcomes: { allow: "Allowed", deny: common.refused },
  since: "Time",
  windows: { "1h": "Last hour", "24h": "Last 24 hours", "7d": "Last 7 days", "30d": "Last 30 days", all: "All time" },
  address: common.ipAddress,
  addressHidden: "Only global admins see IP addresses.",
  row: "Entry",
  result: common.result,
  metadata: "Metadata",
  target: common.target,
  targetId: "Target ID",
  exactTime: common.time,
  chain: "Integrity of the log",
  chainHint:
    "The newest entry and its signature are checked each time. To check every entry independently, run svc audit verify.",
  head: "Newest entry",
  headOk: "Signed with a known key",
  verification: "Last verification of all entries",
  verificationOff: "Not scheduled. The server's administrator can turn it on.",
  states: { ok: "Intact", degraded: "Incomplete", failed: "Broken" },
  forwarder: common.webhook,
  forwarderOff: "Off. The server's administrator can turn it on.",
  forwarderState: (sent: string, failed: string) => `${sent} delivered, ${failed} dropped`,
  waiting: (count: Count) => `${count.text} waiting`,
  create: common.export,
  createTitle: "Export the audit log",
  createHint:
    "The file has the entries that match the filters of this page, newest first. It is written in the background.",
  filters: common.filters,
  noFilters: "All entries of the project",
  noExportsHint:
    "Choose filters in the log, then export. Files are kept for 7 days, unless the server's administrator has set another time."
}
