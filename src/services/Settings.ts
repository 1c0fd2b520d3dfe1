import { Context } from "effect"
import { secondsPerDay } from "../domain/Timestamp.ts"
import {
  decimal,
  flag,
  hostNames,
  integer,
  keys,
  list,
  listOf,
  oneOf,
  origins,
  ranges,
  secret,
  secretBytes,
  secretUrl,
  secretUrls,
  sender,
  sentryProject,
  type Setting,
  smtpServer,
  text,
  url
} from "./Settings/Kinds.ts"

/**
 * Every setting of the program, declared once, by the kind of its value (`Settings/Kinds.ts`). The environment reader,
 * `svc init`, `svc config show`, `svc config validate`, `svc check` and the reference page in `docs/settings.md` are
 * derived from this list.
 */
export const settingDefinitions = {
  home: text("SVC_HOME", "", "Folder of the brain's own files (default: ~/.svc).", { tunable: false }),
  databaseUrl: secret("SVC_DATABASE_URL", "sqlite:///path or postgresql://user:password@host/name (default: svc.db in SVC_HOME)."),
  databasePoolSize: integer("SVC_DATABASE_POOL_SIZE", 16, 2, 200, "PostgreSQL connections of one process."),
  host: text("SVC_HOST", "127.0.0.1", "Address the server listens on.", { tunable: false }),
  port: integer("SVC_PORT", 7700, 0, 65535, "Port the server listens on.", { tunable: false }),
  workers: integer("SVC_WORKERS", 1, 1, 64, "Server processes on one port; several need PostgreSQL, on SQLite one runs.", { tunable: false }),
  publicUrl: url("SVC_PUBLIC_URL", "Address people reach the brain at; decides links and cookies (default: http://host:port)."),
  environment: oneOf("SVC_ENVIRONMENT", ["production", "development"], "production", "development allows plain-http cookies on any address."),
  trustedProxies: ranges("SVC_TRUSTED_PROXIES", "Addresses or CIDR ranges whose X-Forwarded-For is believed."),
  connectionsPerAddress: integer("SVC_CONNECTIONS_PER_ADDRESS", 1000, 0, 1_000_000, "Most connections of one client address to one process; 0: no limit. 127.0.0.1, ::1 and SVC_TRUSTED_PROXIES have none."),
  allowedHosts: hostNames("SVC_ALLOWED_HOSTS", "More host names that the brain answers to, besides those of svc allowed-hosts."),
  corsOrigins: origins("SVC_CORS_ORIGINS", "Other sites whose pages may call the API from a browser; empty: none."),
  logLevel: oneOf("SVC_LOG_LEVEL", ["debug", "info", "warning", "error"], "info", "Least level that is logged."),

  secretKey: keys("SVC_SECRET_KEY", "Keys of the secrets stored in the database, 32 bytes each as base64url, with commas between them (default: made in SVC_HOME)."),
  auditChainKey: keys("SVC_AUDIT_CHAIN_KEY", "Keys of the audit chain, 32 bytes each as base64url, with commas between them (default: made in SVC_HOME)."),
  auditSigningKey: keys("SVC_AUDIT_SIGNING_KEY", "Ed25519 keys of checkpoints, likewise; the first signs (default: made in SVC_HOME)."),
  metricsAuthToken: secret("SVC_METRICS_AUTH_TOKEN", "Bearer token of /metrics (default: made in SVC_HOME).", 16),

  maxPayloadSizeBytes: integer("SVC_MAX_PAYLOAD_SIZE_BYTES", 8192, 1024, 67_108_864, "Largest request body, unless the endpoint declares more."),
  restMaxPageSize: integer("SVC_REST_MAX_PAGE_SIZE", 500, 1, 5000, "Largest page of a list."),
  tasksMaxValueBytes: integer("SVC_TASKS_MAX_VALUE_BYTES", 262_144, 1024, 1_048_576, "Most bytes stored of each of a task's args, kwargs, result, exception and traceback; more is cut and marked."),
  liveStreams: integer("SVC_LIVE_STREAMS", 2000, 1, 100_000, "Open live streams of one process; more are refused."),
  liveStreamsPerUser: integer("SVC_LIVE_STREAMS_PER_USER", 50, 1, 100_000, "Open live streams of one user and process; more are refused."),
  tasksExportMaxRows: integer("SVC_TASKS_EXPORT_MAX_ROWS", 100_000, 1, 10_000_000, "Most rows of one task export (csv, json)."),

  auditExportMaxRows: integer("SVC_AUDIT_EXPORT_MAX_ROWS", 100_000, 1, 10_000_000, "Most rows of one export of a project's audit log (csv, json)."),
  auditTaskFailures: oneOf("SVC_AUDIT_TASK_FAILURES", ["on", "off"], "on", "Whether the audit log has a row for each task that failed."),

  sessionAbsoluteLifetime: integer("SVC_SESSION_ABSOLUTE_LIFETIME_SECONDS", 7 * secondsPerDay, 60, 365 * secondsPerDay, "A session ends this long after login."),
  sessionIdleTimeout: integer("SVC_SESSION_IDLE_TIMEOUT_SECONDS", 1800, 60, 365 * secondsPerDay, "A session ends after this long without a request."),
  sessionRememberMeLifetime: integer("SVC_SESSION_REMEMBER_ME_LIFETIME_SECONDS", 30 * secondsPerDay, 60, 365 * secondsPerDay, "Lifetime of a remembered session."),
  loginLockoutThreshold: integer("SVC_LOGIN_LOCKOUT_THRESHOLD", 10, 1, 1000, "Failed logins in a row that lock an account."),
  loginLockoutDuration: integer("SVC_LOGIN_LOCKOUT_DURATION_SECONDS", 900, 1, secondsPerDay, "How long a locked account stays locked."),
  loginMinDuration: integer("SVC_LOGIN_MIN_DURATION_MS", 300, 0, 10_000, "A login answers no sooner than this."),
  setupTokenTtl: integer("SVC_SETUP_TOKEN_TTL_SECONDS", secondsPerDay, 60, 30 * secondsPerDay, "How long a one-time setup link is good."),
  firstBootAttemptsPerIp: integer("SVC_FIRST_BOOT_ATTEMPTS_PER_IP", 30, 1, 1000, "Setup attempts of one address in 15 minutes."),

  smtpUrl: smtpServer("SVC_SMTP_URL", "Server that takes our mail, such as smtp://user:password@host:587; unset: no mail is sent."),
  smtpFrom: sender("SVC_SMTP_FROM", "Who mail comes from, such as Tasks <svc@example.com> (default: the user of SVC_SMTP_URL, else svc@ the host of SVC_PUBLIC_URL)."),
  mfaEnforceForAdmins: flag("SVC_MFA_ENFORCE_FOR_ADMINS", false, "Global admins must have a second factor."),
  mfaEnforceForAll: flag("SVC_MFA_ENFORCE_FOR_ALL", false, "Everybody must have a second factor."),
  mfaEnrollmentGraceDays: integer("SVC_MFA_ENROLLMENT_GRACE_DAYS", 7, 0, 90, "Who must have one may take so long from their next login on."),
  mfaVerificationRate: integer("SVC_MFA_VERIFICATION_RATE_PER_MIN", 10, 1, 1000, "Codes, and passwords for a step-up, of one address that are checked in a minute."),
  mfaStepUpWindow: integer("SVC_MFA_STEP_UP_WINDOW_SECONDS", 300, 10, secondsPerDay, "What needs a step-up may be done this long after a login, a code or a password."),
  mfaTrustedDeviceDays: integer("SVC_MFA_TRUSTED_DEVICE_DAYS", 30, 1, 365, "A trusted browser needs no code at login for this long."),

  ingestQueueEvents: integer("SVC_INGEST_QUEUE_EVENTS", 20_000, 100, 1_000_000, "Events waiting for the writer before agents' sockets are paused."),
  ingestBatchEvents: integer("SVC_INGEST_BATCH_EVENTS", 2000, 1, 50_000, "Most events written in one transaction."),
  redactExtraKeys: list("SVC_REDACT_EXTRA_KEYS", "More key names whose values are masked in args, kwargs and results."),
  agentHeartbeat: integer("SVC_AGENT_HEARTBEAT_SECONDS", 10, 1, 3600, "Heartbeat interval told to agents."),
  agentOfflineAfter: integer("SVC_AGENT_OFFLINE_AFTER_SECONDS", 30, 2, secondsPerDay, "An agent is offline after this long without a sign of life."),
  commandTimeout: integer("SVC_COMMAND_TIMEOUT_SECONDS", 60, 1, 3600, "Time a command has to complete."),
  bulkCommandTimeout: integer("SVC_BULK_COMMAND_TIMEOUT_SECONDS", 600, 1, 3600, "Time a bulk command has to complete."),

  queuesPerProject: integer("SVC_QUEUES_PER_PROJECT", 10_000, 1, 1_000_000, "Most queues of a project; reports of others are dropped."),
  workersPerProject: integer("SVC_WORKERS_PER_PROJECT", 50_000, 1, 1_000_000, "Most workers of a project; reports of others are dropped."),
  agentProcessesPerProject: integer("SVC_AGENT_PROCESSES_PER_PROJECT", 50_000, 1, 1_000_000, "Most agent processes of a project that are kept; the offline ones that were seen least recently are deleted."),
  reconcileAfter: integer("SVC_RECONCILE_AFTER_SECONDS", 600, 0, 30 * secondsPerDay, "A task that started this long ago without an end is asked about, unless its worker lists it; 0: never."),

  tasksRetentionDays: integer("SVC_TASKS_RETENTION_DAYS", 30, 1, 3650, "Tasks are deleted this long after their last event."),
  commandsRetentionDays: integer("SVC_COMMANDS_RETENTION_DAYS", 90, 1, 3650, "Finished commands are deleted after this."),
  agentHealthRetentionDays: integer("SVC_AGENT_HEALTH_RETENTION_DAYS", 7, 1, 3650, "Agents' health snapshots are deleted after this."),
  workersRetentionDays: integer("SVC_WORKERS_RETENTION_DAYS", 30, 1, 3650, "Workers and agent processes not seen for this long are deleted."),
  sessionsRetentionDays: integer("SVC_SESSIONS_RETENTION_DAYS", 30, 1, 3650, "Ended sessions and trusted devices are deleted after this."),
  apiKeysRetentionDays: integer("SVC_API_KEYS_RETENTION_DAYS", 90, 1, 3650, "API keys are deleted this long after they were revoked or ran out."),
  invitationsRetentionDays: integer("SVC_INVITATIONS_RETENTION_DAYS", 30, 1, 3650, "Invitations are deleted this long after they ran out."),
  auditRetentionDays: integer("SVC_AUDIT_RETENTION_DAYS", 0, 0, 36_500, "Audit rows are kept this long; 0 keeps them for ever."),

  auditCheckpointInterval: integer("SVC_AUDIT_CHECKPOINT_INTERVAL_SECONDS", 60, 1, secondsPerDay, "A checkpoint of the audit log is signed after this long, if there are new rows."),
  auditCheckpointRows: integer("SVC_AUDIT_CHECKPOINT_ROWS", 1000, 1, 1_000_000, "And after so many rows, if that is sooner."),
  auditCheckpointFile: text("SVC_AUDIT_CHECKPOINT_FILE", "", "The file they are appended to (default: audit-checkpoints.jsonl in SVC_HOME)."),
  auditCheckpointSinks: listOf("SVC_AUDIT_CHECKPOINT_SINKS", "stdout or absolute paths of files", (part) => part === "stdout" || part.startsWith("/"), "Where they go besides: stdout, or paths of more files."),
  auditCheckpointWebhookUrls: secretUrls("SVC_AUDIT_CHECKPOINT_WEBHOOK_URLS", "And URLs that they are posted to, with commas between them."),
  auditChainVerifyEnabled: flag("SVC_AUDIT_CHAIN_VERIFY_ENABLED", false, "All rows of the audit log are verified from time to time."),
  auditChainVerifyInterval: integer("SVC_AUDIT_CHAIN_VERIFY_INTERVAL_SECONDS", secondsPerDay, 900, 604_800, "How often."),
  auditWebhookUrl: secretUrl("SVC_AUDIT_WEBHOOK_URL", "Each row of the audit log is posted there too (docs/audit-webhook.md); unset: nowhere."),
  auditWebhookHmacSecret: secretBytes("SVC_AUDIT_WEBHOOK_HMAC_SECRET", "Signs what is posted there; needed with the URL.", 32),
  auditWebhookTimeout: decimal("SVC_AUDIT_WEBHOOK_TIMEOUT_SECONDS", 10, 1, 120, "Time of one post there."),
  auditWebhookBufferSize: integer("SVC_AUDIT_WEBHOOK_BUFFER_SIZE", 1000, 1, 1_000_000, "Rows that wait to be posted there; more are dropped."),
  webhookAllowHttp: flag("SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP", false, "Webhooks, that of the audit log too, may go to plain http."),
  outboundAllowCidrs: ranges("SVC_OUTBOUND_ALLOW_CIDRS", "Internal addresses or CIDR ranges that webhooks and other outbound calls may go to."),

  agentBrainUrl: text("SVC_AGENT_BRAIN_URL", "", "For an agent's process: where it reaches the brain, such as https://svc.example.com.", { tunable: false }),
  agentToken: secret("SVC_AGENT_TOKEN", "For an agent's process: the token shown when the agent was made."),
  agentHmacSecret: secret("SVC_AGENT_HMAC_SECRET", "For an agent's process: the hmac secret shown when the agent was made."),
  agentHome: text("SVC_AGENT_HOME", "", "For an agent's process: folder of its buffer of unsent events (default: ~/.svc/agent).", { tunable: false }),
  agentName: text("SVC_AGENT_NAME", "", "For an agent's process: what people see it called (default: the machine's name).", { tunable: false }),
  agentTransport: { ...oneOf("SVC_AGENT_TRANSPORT", ["auto", "ws", "longpoll"], "auto", "For an agent's process: auto takes WebSocket, and long-poll while that does not get through."), tunable: false },
  agentAllowInsecure: { ...oneOf("SVC_AGENT_ALLOW_INSECURE", ["no", "yes"], "no", "For an agent's process: yes allows plain http to another machine."), tunable: false },
  agentRedactExtraKeys: { ...list("SVC_AGENT_REDACT_EXTRA_KEYS", "For an agent's process: more key names whose values are masked before they are sent."), tunable: false },

  metricsTaskNames: integer("SVC_METRICS_TASK_NAMES", 200, 0, 10_000, "Task names with series of their own in the metrics of one process; further names are counted as other."),
  otlpEndpoint: url("SVC_OTEL_EXPORTER_OTLP_ENDPOINT", "Base URL of an OTLP/HTTP collector; empty: no tracing."),
  tracesSampleShare: decimal("SVC_TRACES_SAMPLE_SHARE", 1, 0, 1, "Share of traces that are sent to the collector, from 0 to 1."),
  tracesStatements: flag("SVC_TRACES_STATEMENTS", false, "Traces hold the text of database statements, without their values."),
  sentryDsn: sentryProject("SVC_SENTRY_DSN", "Sentry project to report crashes to; unset: none.")
} as const

export type SettingsShape = {
  readonly [Key in keyof typeof settingDefinitions]: (typeof settingDefinitions)[Key] extends Setting<infer A> ? A : never
}

/** Where a value came from: `environment`, `file` (NAME_FILE), `tunables`, `default`, `option` (command line). */
export type SettingSource = "environment" | "file" | "tunables" | "default" | "option"

/** The program's settings, read and checked. */
export class Settings extends Context.Tag("svc/Settings")<Settings, SettingsShape & {
  /** Absolute path of SVC_HOME. */
  readonly home: string
  readonly sources: ReadonlyMap<string, SettingSource>
  /** Paths of the files that secrets were read from, by their setting's name. */
  readonly files: ReadonlyMap<string, string>
}>() {}
