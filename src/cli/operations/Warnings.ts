import { Redacted } from "effect"
import { acceptsSecretsAt, publicUrlOf } from "../../services/kernel/PublicUrl.ts"
import type { SettingsShape } from "../../services/kernel/Settings.ts"
import { isRemotePlainHttp, loopback } from "../program/ClientSettings.ts"

/** The facts that `svc doctor` checks; null where one could not be determined. */
export interface DoctorFacts {
  readonly settings: SettingsShape
  readonly dialect: "sqlite" | "pg"
  /** Null before the first migration or without a database. */
  readonly revision: number | null
  readonly head: number
  /** Whole days since the last backup; `never`: none is recorded, although there is something to back up. */
  readonly daysSinceBackup: number | "never" | null
  /** Environment variables with the prefix of settings that are not settings. */
  readonly unknownNames: ReadonlyArray<string>
  /** Files of SVC_HOME that others than their owner may read. */
  readonly exposedFiles: ReadonlyArray<string>
  readonly freeBytes: number | null
  readonly openFilesLimit: number | null
  /** PostgreSQL's own limit of connections. */
  readonly maxConnections: number | null
  /** PostgreSQL has pg_trgm, but searches lack its indexes, or one was not finished. */
  readonly searchIndexTrouble: "missing" | "unfinished" | null
  /** Why the mail server refused; null where it accepts, or none is set. */
  readonly mailTrouble: string | null
}

/** Whether other machines reach the brain but cannot sign in, because their passwords would go over plain http. */
export const isLocalOnly = (settings: SettingsShape): boolean =>
  !loopback.test(settings.host) && !acceptsSecretsAt(settings)("") && !isRemotePlainHttp(publicUrlOf(settings))

export const localOnlyWarning = (settings: SettingsShape): string =>
  `sign-in works only on this machine, at ${
    publicUrlOf(settings)
  }: from other machines, passwords would go over plain http. ` +
  "Put an https proxy in front and set SVC_PUBLIC_URL to its address; for a trial set SVC_ENVIRONMENT=development"

/** Backups are due each night (docs/backup.md); a week without one is no single failed night. */
const maxDaysWithoutBackup = 7

const recommendBackup =
  "svc backup --output writes one while the brain runs (docs/backup.md). Nothing is to be done where another program backs up the database"

/** A sentence for each risk: what, why, and the setting to change. */
export const warningsOf = (facts: DoctorFacts): ReadonlyArray<string> => {
  const { settings } = facts
  const isExposed = !loopback.test(settings.host)
  const publicHost = new URL(publicUrlOf(settings)).hostname
  const rules: ReadonlyArray<readonly [boolean, string]> = [
    [
      facts.unknownNames.length > 0,
      `these environment variables are not settings and have no effect: ${
        facts.unknownNames.join(", ")
      }; docs/settings.md has the names`
    ],
    [
      facts.revision !== null && facts.revision !== facts.head,
      `the database is at revision ${facts.revision} and this program's head is ${facts.head}; svc serve migrates it at start`
    ],
    [facts.daysSinceBackup === "never", `no backup of this database is recorded: ${recommendBackup}`],
    [
      typeof facts.daysSinceBackup === "number" && facts.daysSinceBackup > maxDaysWithoutBackup,
      `the last backup is ${facts.daysSinceBackup} days old: ${recommendBackup}`
    ],
    [
      facts.dialect === "sqlite" && settings.workers > 1,
      "SVC_WORKERS is above 1, which requires PostgreSQL; on SQLite svc serve runs one worker"
    ],
    [
      isExposed && settings.publicUrl === "" && !isLocalOnly(settings),
      `SVC_PUBLIC_URL is not set, so links lead to ${publicUrlOf(settings)}`
    ],
    [isLocalOnly(settings), localOnlyWarning(settings)],
    [
      isExposed && settings.publicUrl !== "" && loopback.test(publicHost) && !isLocalOnly(settings),
      `other machines reach the brain, but links in mails and messages lead them to ${publicHost}, which is their own machine; set SVC_PUBLIC_URL to the address that they use`
    ],
    [
      isRemotePlainHttp(publicUrlOf(settings)) && settings.environment === "production",
      "sign-in would be over plain http, so svc serve will refuse to start; set SVC_PUBLIC_URL to the https address"
    ],
    [
      isExposed && settings.environment === "development",
      "SVC_ENVIRONMENT is development on an address that other machines reach; cookies go over plain http"
    ],
    [
      settings.publicUrl.startsWith("https:") && settings.trustedProxies.length === 0,
      "SVC_PUBLIC_URL is https, which a proxy serves, but SVC_TRUSTED_PROXIES is empty: rate limits and the audit log see all clients as one address"
    ],
    [
      settings.smtpUrl === null && (isExposed || settings.publicUrl.startsWith("https:")),
      "SVC_SMTP_URL is not set, so no mail is sent: pass on the links of invitations yourself, and print a link for a forgotten password with svc auth reset-link"
    ],
    [facts.mailTrouble !== null, `the server of SVC_SMTP_URL does not accept mail: ${facts.mailTrouble}`],
    [
      settings.agentOfflineAfter < 2 * settings.agentHeartbeat,
      "SVC_AGENT_OFFLINE_AFTER_SECONDS is below two heartbeats; one late heartbeat shows an agent as offline"
    ],
    [
      settings.auditRetentionDays > 0 && settings.auditRetentionDays < 90,
      "SVC_AUDIT_RETENTION_DAYS is below 90; audit rows may be deleted before they are needed"
    ],
    [
      settings.auditWebhookUrl !== null && /^http:/i.test(Redacted.value(settings.auditWebhookUrl)) &&
      !settings.webhookAllowHttp,
      "SVC_AUDIT_WEBHOOK_URL is plain http, so every row is dropped; use https, or set SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP to true"
    ],
    [facts.exposedFiles.length > 0, `others can read ${facts.exposedFiles.join(", ")}; run chmod 600 on them`],
    [facts.freeBytes !== null && facts.freeBytes < 2 ** 30, "less than 1 GiB is free on the disk of SVC_HOME"],
    [
      facts.openFilesLimit !== null && facts.openFilesLimit < 4096,
      `this shell may open ${facts.openFilesLimit} files, and each agent needs one; raise ulimit -n`
    ],
    [
      facts.maxConnections !== null && settings.databasePoolSize * settings.workers > facts.maxConnections * 0.8,
      `SVC_DATABASE_POOL_SIZE times SVC_WORKERS is ${
        settings.databasePoolSize * settings.workers
      }, and PostgreSQL gives ${facts.maxConnections} connections to all its users`
    ],
    [
      facts.searchIndexTrouble === "missing",
      "this database has the extension pg_trgm, but searches do not use it; svc migrate search-indexes creates their indexes (docs/scaling.md)"
    ],
    [
      facts.searchIndexTrouble === "unfinished",
      "an index for searches was not finished: it costs the ingest time and no search uses it; run svc migrate search-indexes again"
    ]
  ]
  return rules.filter(([applies]) => applies).map(([, sentence]) => sentence)
}
