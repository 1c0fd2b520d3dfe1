import { secondsPerDay } from "../../../domain/kernel/Timestamp.ts"
import { decimal, flag, integer, listOf, secretBytes, secretUrl, secretUrls, targets, text } from "./Kinds.ts"

/** Checkpoints, verification and webhook of the audit log. */
export const auditLogSettings = {
  auditCheckpointInterval: integer(
    "SVC_AUDIT_CHECKPOINT_INTERVAL_SECONDS",
    { default: 60, min: 1, max: secondsPerDay },
    "A checkpoint of the audit log is signed after this long, if there are new rows."
  ),
  auditCheckpointRows: integer(
    "SVC_AUDIT_CHECKPOINT_ROWS",
    { default: 1000, min: 1, max: 1_000_000 },
    "A checkpoint is also signed after this many new rows."
  ),
  auditCheckpointFile: text(
    "SVC_AUDIT_CHECKPOINT_FILE",
    { default: "" },
    "File to which checkpoints are appended (default: audit-checkpoints.jsonl in SVC_HOME)."
  ),
  auditCheckpointSinks: listOf(
    "SVC_AUDIT_CHECKPOINT_SINKS",
    "stdout or absolute paths of files",
    (part) => part === "stdout" || part.startsWith("/"),
    "Additional destinations for checkpoints: stdout, or absolute paths of files."
  ),
  auditCheckpointWebhookUrls: secretUrls(
    "SVC_AUDIT_CHECKPOINT_WEBHOOK_URLS",
    "URLs to which checkpoints are posted, comma-separated."
  ),
  auditChainVerifyEnabled: flag(
    "SVC_AUDIT_CHAIN_VERIFY_ENABLED",
    { default: false },
    "All rows of the audit log are verified periodically."
  ),
  auditChainVerifyInterval: integer(
    "SVC_AUDIT_CHAIN_VERIFY_INTERVAL_SECONDS",
    { default: secondsPerDay, min: 900, max: 604_800 },
    "Interval of the periodic verification of the audit log."
  ),
  auditWebhookUrl: secretUrl(
    "SVC_AUDIT_WEBHOOK_URL",
    "URL to which each row of the audit log is posted (docs/audit-webhook.md); unset: none."
  ),
  auditWebhookHmacSecret: secretBytes(
    "SVC_AUDIT_WEBHOOK_HMAC_SECRET",
    "Signs the posts of the audit webhook; required with its URL.",
    32
  ),
  auditWebhookTimeout: decimal(
    "SVC_AUDIT_WEBHOOK_TIMEOUT_SECONDS",
    { default: 10, min: 1, max: 120 },
    "Timeout of one post of the audit webhook."
  ),
  auditWebhookBufferSize: integer(
    "SVC_AUDIT_WEBHOOK_BUFFER_SIZE",
    { default: 1000, min: 1, max: 1_000_000 },
    "Maximum rows queued for the audit webhook; further ones are dropped."
  ),
  auditWebhookAllowCidrs: targets(
    "SVC_AUDIT_WEBHOOK_ALLOW_CIDRS",
    "Internal addresses or ranges, with ports, that the audit log's webhooks may reach: 10.1.2.3:8443."
  )
} as const
