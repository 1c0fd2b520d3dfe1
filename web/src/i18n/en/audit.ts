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
  windows: {
    "1h": "Last hour",
    "24h": common.last24Hours,
    "7d": "Last 7 days",
    "30d": "Last 30 days",
    all: "All time"
  },
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
  fromEntry: "From the broken entry on",
  verify: {
    never: "Not verified yet",
    start: "Verify all entries",
    starting: "Starting …",
    progress: (checked: string, total: string) => `${checked} of ${total} entries checked`,
    results: {
      intact: (rows: string, _seq: string) => `Intact: all ${rows} entries.`,
      broken: (rows: string, seq: string) => `Broken at entry ${seq}, after ${rows} intact entries.`,
      error: (_rows: string, _seq: string) => "It could not be completed. The server’s log has the cause."
    },
    problems: {
      changed: "The entry was changed.",
      missing: "One or more entries were removed here.",
      inserted: "The entry was not written by the server, or is after the newest one.",
      reordered: "The entry is at another place.",
      cut: "The newest entries are missing.",
      key_unknown: "The key of the entry is unknown.",
      head: "The record of the newest entry does not match the log.",
      watermark: "The start of the log cannot be trusted."
    },
    showEntry: "Show the entry"
  },
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
