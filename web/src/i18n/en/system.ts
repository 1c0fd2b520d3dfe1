import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const system = {
  tabs: { health: common.health, versions: "Versions", settings: common.settings },
  part: "Part",
  status: common.status,
  detail: common.details,
  took: common.took,
  statuses: { ok: "Healthy", degraded: "Degraded", failed: common.failed },
  statusHints: {
    ok: "every check passed.",
    degraded: "the server works, but a part of it needs attention.",
    failed: "a part that the server needs does not work."
  },
  checks: {
    database: "Database",
    migrations: "Database schema",
    leaders: "Background leases",
    mail: "Mail",
    secret_key: "Encryption key",
    audit_chain: "Signed audit log",
    audit_verification: "Audit log verification"
  },
  checkHints: {
    database: "It answers reads and writes.",
    migrations: "It has the revision that this program needs.",
    leaders: "Which process does each job that only one process can do.",
    mail: "No e-mail waits after a failed delivery.",
    secret_key: "The key that decrypts stored secrets is known.",
    audit_chain: "The newest entries match what was signed.",
    audit_verification: "The last run read every entry and found what was signed."
  },
  loop: (name: string) => `Background loop: ${name}`,
  loops: (running: string, all: string) => `${running} of ${all} background loops run without errors in this process.`,
  revision: (found: string, expected: string) => `revision ${found}, expected ${expected}`,
  forwarder: "Audit webhook",
  forwarderOff:
    "Not set up. With SVC_AUDIT_WEBHOOK_URL, the server posts every entry of the audit log to another system.",
  forwarderHint: (worker: string) => `Counted since process ${worker} started. Each replica has its own counts.`,
  delivered: "Delivered entries",
  waiting: "Waiting entries",
  dropped: "Dropped entries",
  lastDelivered: "Last delivery",
  failuresInRow: "Consecutive failures",
  installation: "Installation",
  program: "svc",
  runtime: "Runtime",
  os: "Operating system",
  database: "Database",
  dialects: { sqlite: "SQLite", pg: "PostgreSQL" },
  schema: "Schema revision",
  size: common.size,
  megabytes: (count: string) => `${count} MB`,
  check: "Check for newer versions",
  checked: "The release feed was read",
  neverChecked: "The release feed has not been read. The server reads it only when you ask.",
  package: "Package",
  installed: "Installed",
  latest: "Latest",
  unknown: common.unknown,
  outdated: "A newer version exists",
  current: "Up to date",
  secondFactor: {
    title: common.secondFactor,
    all: "Everyone needs a second factor",
    admins: "Global admins need a second factor",
    none: "A second factor is optional",
    without: (count: Count) => `${plural(count, "# active user has", "# active users have")} none.`,
    deadline: (days: Count) =>
      `Users without one set it up at their next sign-in, within ${plural(days, "# day", "# days")}.`,
    bySetting: "The setting SVC_MFA_ENFORCE_FOR_ALL requires it. Change it there.",
    require: "Require for everyone",
    relax: "Make optional",
    requireTitle: "Require a second factor of everyone?",
    relaxTitle: "Make the second factor optional?",
    ownFirst: "You need a second factor yourself first.",
    setUp: "Set it up"
  },
  settingsHint: (home: string) =>
    `The values in force in the process that answers, with secrets masked. Change them in the environment or in svc.conf of ${home}, then restart.`,
  filter: "Filter settings",
  onlySet: "Only settings that are set",
  noSetting: "No setting matches",
  setting: "Setting",
  value: "Value",
  source: common.source,
  sources: {
    environment: "Environment",
    file: common.file,
    tunables: "svc.conf",
    default: "Default",
    option: "Command line"
  }
}
