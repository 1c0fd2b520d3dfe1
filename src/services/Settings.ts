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
  databaseUrl: secret(
    "SVC_DATABASE_URL",
    "sqlite:///path or postgresql://user:password@host/name (default: svc.db in SVC_HOME)."
  ),
  databasePoolSize: integer("SVC_DATABASE_POOL_SIZE", 16, 2, 200, "PostgreSQL connections of one process."),
  host: text("SVC_HOST", "127.0.0.1", "Address the server listens on.", { tunable: false }),
  port: integer("SVC_PORT", 7700, 0, 65535, "Port the server listens on.", { tunable: false }),
  workers: integer(
    "SVC_WORKERS",
    1,
    1,
    64,
    "Server processes on one port; several need PostgreSQL, on SQLite one runs.",
    { tunable: false }
  ),
  publicUrl: url("SVC_PUBLIC_URL", "Public URL of the brain; decides links and cookies (default: http://host:port)."),
  environment: oneOf(
    "SVC_ENVIRONMENT",
    ["production", "development"],
    "production",
    "development allows plain-http cookies on any address."
  ),
  trustedProxies: ranges(
    "SVC_TRUSTED_PROXIES",
    "Addresses or CIDR ranges of proxies whose X-Forwarded-For header is trusted."
  ),
  connectionsPerAddress: integer(
    "SVC_CONNECTIONS_PER_ADDRESS",
    1000,
    0,
    1_000_000,
    "Maximum connections of one address to one process; 0: no limit. 127.0.0.1, ::1 and SVC_TRUSTED_PROXIES are exempt."
  ),
  allowedHosts: hostNames(
    "SVC_ALLOWED_HOSTS",
    "Additional host names that the brain answers to, besides those of svc allowed-hosts."
  ),
  corsOrigins: origins("SVC_CORS_ORIGINS", "Other sites whose pages may call the API from a browser; empty: none."),
  logLevel: oneOf("SVC_LOG_LEVEL", ["debug", "info", "warning", "error"], "info", "Lowest level that is logged."),

  secretKey: keys(
    "SVC_SECRET_KEY",
    "Keys that encrypt secrets in the database: 32 bytes each as base64url, comma-separated (default: generated in SVC_HOME)."
  ),
  auditChainKey: keys(
    "SVC_AUDIT_CHAIN_KEY",
    "HMAC keys of the audit chain: 32 bytes each as base64url, comma-separated (default: generated in SVC_HOME)."
  ),
  auditSigningKey: keys(
    "SVC_AUDIT_SIGNING_KEY",
    "Ed25519 keys of audit checkpoints, in the same form; the first one signs (default: generated in SVC_HOME)."
  ),
  metricsAuthToken: secret("SVC_METRICS_AUTH_TOKEN", "Bearer token of /metrics (default: generated in SVC_HOME).", 16),

  maxPayloadSizeBytes: integer(
    "SVC_MAX_PAYLOAD_SIZE_BYTES",
    8192,
    1024,
    67_108_864,
    "Largest request body, unless the endpoint declares more."
  ),
  restMaxPageSize: integer("SVC_REST_MAX_PAGE_SIZE", 500, 1, 5000, "Largest page of a list."),
  tasksMaxValueBytes: integer(
    "SVC_TASKS_MAX_VALUE_BYTES",
    262_144,
    1024,
    1_048_576,
    "Maximum bytes of a task's args, kwargs, result, exception, traceback (each); longer values are truncated and marked."
  ),
  liveStreams: integer("SVC_LIVE_STREAMS", 2000, 1, 100_000, "Open live streams of one process; more are refused."),
  liveStreamsPerUser: integer(
    "SVC_LIVE_STREAMS_PER_USER",
    50,
    1,
    100_000,
    "Open live streams of one user and process; more are refused."
  ),
  tasksExportMaxRows: integer(
    "SVC_TASKS_EXPORT_MAX_ROWS",
    100_000,
    1,
    10_000_000,
    "Maximum rows of one task export (csv, json)."
  ),

  auditExportMaxRows: integer(
    "SVC_AUDIT_EXPORT_MAX_ROWS",
    100_000,
    1,
    10_000_000,
    "Maximum rows of one export of a project's audit log (csv, json)."
  ),
  auditTaskFailures: oneOf(
    "SVC_AUDIT_TASK_FAILURES",
    ["on", "off"],
    "on",
    "Whether the audit log has a row for each task that failed."
  ),

  sessionAbsoluteLifetime: integer(
    "SVC_SESSION_ABSOLUTE_LIFETIME_SECONDS",
    7 * secondsPerDay,
    60,
    365 * secondsPerDay,
    "A session ends this long after login."
  ),
  sessionIdleTimeout: integer(
    "SVC_SESSION_IDLE_TIMEOUT_SECONDS",
    1800,
    60,
    365 * secondsPerDay,
    "A session ends after this long without a request."
  ),
  sessionRememberMeLifetime: integer(
    "SVC_SESSION_REMEMBER_ME_LIFETIME_SECONDS",
    30 * secondsPerDay,
    60,
    365 * secondsPerDay,
    "Lifetime of a remembered session."
  ),
  loginLockoutThreshold: integer(
    "SVC_LOGIN_LOCKOUT_THRESHOLD",
    10,
    1,
    1000,
    "Failed logins in a row that lock an account."
  ),
  loginLockoutDuration: integer(
    "SVC_LOGIN_LOCKOUT_DURATION_SECONDS",
    900,
    1,
    secondsPerDay,
    "How long a locked account stays locked."
  ),
  loginMinDuration: integer("SVC_LOGIN_MIN_DURATION_MS", 300, 0, 10_000, "Shortest response time of a login."),
  setupTokenTtl: integer(
    "SVC_SETUP_TOKEN_TTL_SECONDS",
    secondsPerDay,
    60,
    30 * secondsPerDay,
    "Lifetime of a one-time setup link."
  ),
  firstBootAttemptsPerIp: integer(
    "SVC_FIRST_BOOT_ATTEMPTS_PER_IP",
    30,
    1,
    1000,
    "Maximum setup attempts of one address in 15 minutes."
  ),

  smtpUrl: smtpServer("SVC_SMTP_URL", "Mail server, such as smtp://user:password@host:587; unset: no mail is sent."),
  smtpFrom: sender(
    "SVC_SMTP_FROM",
    "Sender of mail, such as Tasks <svc@example.com> (default: the user of SVC_SMTP_URL, else svc@ the host of SVC_PUBLIC_URL)."
  ),
  mfaEnforceForAdmins: flag("SVC_MFA_ENFORCE_FOR_ADMINS", false, "Global admins must have a second factor."),
  mfaEnforceForAll: flag("SVC_MFA_ENFORCE_FOR_ALL", false, "All users must have a second factor."),
  mfaEnrollmentGraceDays: integer(
    "SVC_MFA_ENROLLMENT_GRACE_DAYS",
    7,
    0,
    90,
    "Grace period to enrol a required second factor, from the user's next login on."
  ),
  mfaVerificationRate: integer(
    "SVC_MFA_VERIFICATION_RATE_PER_MIN",
    10,
    1,
    1000,
    "Codes and step-up passwords of one address that are verified per minute."
  ),
  mfaStepUpWindow: integer(
    "SVC_MFA_STEP_UP_WINDOW_SECONDS",
    300,
    10,
    secondsPerDay,
    "How long a login, a code or a password counts as a step-up."
  ),
  mfaTrustedDeviceDays: integer(
    "SVC_MFA_TRUSTED_DEVICE_DAYS",
    30,
    1,
    365,
    "A trusted browser needs no code at login for this long."
  ),

  ingestQueueEvents: integer(
    "SVC_INGEST_QUEUE_EVENTS",
    20_000,
    100,
    1_000_000,
    "Events waiting for the writer before agents' sockets are paused."
  ),
  ingestBatchEvents: integer("SVC_INGEST_BATCH_EVENTS", 2000, 1, 50_000, "Maximum events written in one transaction."),
  redactExtraKeys: list(
    "SVC_REDACT_EXTRA_KEYS",
    "Additional key names whose values are masked in args, kwargs and results."
  ),
  agentHeartbeat: integer(
    "SVC_AGENT_HEARTBEAT_SECONDS",
    10,
    1,
    3600,
    "Heartbeat interval that the brain sets for agents."
  ),
  agentOfflineAfter: integer(
    "SVC_AGENT_OFFLINE_AFTER_SECONDS",
    30,
    2,
    secondsPerDay,
    "An agent is offline after this long without a sign of life."
  ),
  commandTimeout: integer("SVC_COMMAND_TIMEOUT_SECONDS", 60, 1, 3600, "Time a command has to complete."),
  bulkCommandTimeout: integer("SVC_BULK_COMMAND_TIMEOUT_SECONDS", 600, 1, 3600, "Time a bulk command has to complete."),

  scheduleBreakerThreshold: integer(
    "SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD",
    5,
    0,
    20,
    "Failed fires in a row that disable a schedule; 0: never."
  ),

  queuesPerProject: integer(
    "SVC_QUEUES_PER_PROJECT",
    10_000,
    1,
    1_000_000,
    "Maximum queues of a project; reports of further ones are dropped."
  ),
  workersPerProject: integer(
    "SVC_WORKERS_PER_PROJECT",
    50_000,
    1,
    1_000_000,
    "Maximum workers of a project; reports of further ones are dropped."
  ),
  agentProcessesPerProject: integer(
    "SVC_AGENT_PROCESSES_PER_PROJECT",
    50_000,
    1,
    1_000_000,
    "Maximum agent processes stored per project; beyond it, the least recently seen offline ones are deleted."
  ),
  reconcileAfter: integer(
    "SVC_RECONCILE_AFTER_SECONDS",
    600,
    0,
    30 * secondsPerDay,
    "The agent is asked about a task that started this long ago and has not ended, unless its worker lists it; 0: never."
  ),

  tasksRetentionDays: integer(
    "SVC_TASKS_RETENTION_DAYS",
    30,
    1,
    3650,
    "Tasks are deleted this long after their last event."
  ),
  commandsRetentionDays: integer(
    "SVC_COMMANDS_RETENTION_DAYS",
    90,
    1,
    3650,
    "Finished commands are deleted this many days after they end."
  ),
  agentHealthRetentionDays: integer(
    "SVC_AGENT_HEALTH_RETENTION_DAYS",
    7,
    1,
    3650,
    "Agents' health snapshots are deleted this many days after they arrive."
  ),
  workersRetentionDays: integer(
    "SVC_WORKERS_RETENTION_DAYS",
    30,
    1,
    3650,
    "Workers and agent processes not seen for this long are deleted."
  ),
  sessionsRetentionDays: integer(
    "SVC_SESSIONS_RETENTION_DAYS",
    30,
    1,
    3650,
    "Ended sessions and trusted devices are deleted this many days after they end."
  ),
  apiKeysRetentionDays: integer(
    "SVC_API_KEYS_RETENTION_DAYS",
    90,
    1,
    3650,
    "API keys are deleted this long after they were revoked or expired."
  ),
  invitationsRetentionDays: integer(
    "SVC_INVITATIONS_RETENTION_DAYS",
    30,
    1,
    3650,
    "Invitations are deleted this long after they expired."
  ),
  auditRetentionDays: integer(
    "SVC_AUDIT_RETENTION_DAYS",
    0,
    0,
    36_500,
    "Audit rows are kept this long; 0 keeps them for ever."
  ),

  auditCheckpointInterval: integer(
    "SVC_AUDIT_CHECKPOINT_INTERVAL_SECONDS",
    60,
    1,
    secondsPerDay,
    "A checkpoint of the audit log is signed after this long, if there are new rows."
  ),
  auditCheckpointRows: integer(
    "SVC_AUDIT_CHECKPOINT_ROWS",
    1000,
    1,
    1_000_000,
    "A checkpoint is also signed after this many new rows."
  ),
  auditCheckpointFile: text(
    "SVC_AUDIT_CHECKPOINT_FILE",
    "",
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
    false,
    "All rows of the audit log are verified periodically."
  ),
  auditChainVerifyInterval: integer(
    "SVC_AUDIT_CHAIN_VERIFY_INTERVAL_SECONDS",
    secondsPerDay,
    900,
    604_800,
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
    10,
    1,
    120,
    "Timeout of one post of the audit webhook."
  ),
  auditWebhookBufferSize: integer(
    "SVC_AUDIT_WEBHOOK_BUFFER_SIZE",
    1000,
    1,
    1_000_000,
    "Maximum rows queued for the audit webhook; further ones are dropped."
  ),
  webhookAllowHttp: flag(
    "SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP",
    false,
    "Webhooks, including the audit log's, may use plain http."
  ),
  outboundAllowCidrs: ranges(
    "SVC_OUTBOUND_ALLOW_CIDRS",
    "Internal addresses or CIDR ranges that webhooks and other outbound calls may reach."
  ),

  agentBrainUrl: text(
    "SVC_AGENT_BRAIN_URL",
    "",
    "For an agent's process: URL of the brain, such as https://svc.example.com.",
    { tunable: false }
  ),
  agentToken: secret("SVC_AGENT_TOKEN", "For an agent's process: the token shown when the agent was created."),
  agentHmacSecret: secret(
    "SVC_AGENT_HMAC_SECRET",
    "For an agent's process: the hmac secret shown when the agent was created."
  ),
  agentHome: text(
    "SVC_AGENT_HOME",
    "",
    "For an agent's process: folder of its buffer of unsent events (default: ~/.svc/agent).",
    { tunable: false }
  ),
  agentName: text("SVC_AGENT_NAME", "", "For an agent's process: its displayed name (default: the machine's name).", {
    tunable: false
  }),
  agentTransport: {
    ...oneOf(
      "SVC_AGENT_TRANSPORT",
      ["auto", "ws", "longpoll"],
      "auto",
      "For an agent's process: auto uses WebSocket, and long-poll while WebSocket fails."
    ),
    tunable: false
  },
  agentAllowInsecure: {
    ...oneOf(
      "SVC_AGENT_ALLOW_INSECURE",
      ["no", "yes"],
      "no",
      "For an agent's process: yes allows plain http to another machine."
    ),
    tunable: false
  },
  agentRedactExtraKeys: {
    ...list(
      "SVC_AGENT_REDACT_EXTRA_KEYS",
      "For an agent's process: additional key names whose values are masked before they are sent."
    ),
    tunable: false
  },

  metricsTaskNames: integer(
    "SVC_METRICS_TASK_NAMES",
    200,
    0,
    10_000,
    "Task names with series of their own in the metrics of one process; further names are counted as other."
  ),
  otlpEndpoint: url("SVC_OTEL_EXPORTER_OTLP_ENDPOINT", "Base URL of an OTLP/HTTP collector; empty: no tracing."),
  tracesSampleShare: decimal(
    "SVC_TRACES_SAMPLE_SHARE",
    1,
    0,
    1,
    "Share of traces that are sent to the collector, from 0 to 1."
  ),
  tracesStatements: flag(
    "SVC_TRACES_STATEMENTS",
    false,
    "Traces contain the text of database statements, without their values."
  ),
  sentryDsn: sentryProject("SVC_SENTRY_DSN", "Sentry project to report crashes to; unset: none.")
} as const

export type SettingsShape = {
  readonly [Key in keyof typeof settingDefinitions]: (typeof settingDefinitions)[Key] extends Setting<infer A> ? A
    : never
}

/** The source of a value: `environment`, `file` (NAME_FILE), `tunables`, `default`, `option` (command line). */
export type SettingSource = "environment" | "file" | "tunables" | "default" | "option"

/** The program's settings, read and validated. */
export class Settings extends Context.Tag("svc/Settings")<
  Settings,
  SettingsShape & {
    /** Absolute path of SVC_HOME. */
    readonly home: string
    readonly sources: ReadonlyMap<string, SettingSource>
    /** Paths of the files that secrets were read from, by their setting's name. */
    readonly files: ReadonlyMap<string, string>
  }
>() {}
