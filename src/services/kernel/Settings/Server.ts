import {
  flag,
  hostNames,
  integer,
  keys,
  oneOf,
  origins,
  publicKey,
  ranges,
  secret,
  text,
  url,
  urlTemplate
} from "./Kinds.ts"

/** The server, its database and its keys. */
export const serverSettings = {
  home: text("SVC_HOME", { default: "" }, "Folder of the brain's own files (default: ~/.svc).", { tunable: false }),
  databaseUrl: secret(
    "SVC_DATABASE_URL",
    "sqlite:///path or postgresql://user:password@host/name (default: svc.db in SVC_HOME)."
  ),
  databasePoolSize: integer(
    "SVC_DATABASE_POOL_SIZE",
    { default: 16, min: 2, max: 200 },
    "PostgreSQL connections of one process."
  ),
  host: text("SVC_HOST", { default: "127.0.0.1" }, "Address the server listens on.", { tunable: false }),
  port: integer("SVC_PORT", { default: 7700, min: 0, max: 65535 }, "Port the server listens on.", { tunable: false }),
  workers: integer(
    "SVC_WORKERS",
    { default: 1, min: 1, max: 64 },
    "Server processes on one port; several need PostgreSQL, on SQLite one runs.",
    { tunable: false }
  ),
  publicUrl: url("SVC_PUBLIC_URL", "Public URL of the brain; decides links and cookies (default: http://host:port)."),
  environment: oneOf(
    "SVC_ENVIRONMENT",
    { default: "production", values: ["production", "development"] },
    "development allows plain-http cookies on any address."
  ),
  trustedProxies: ranges(
    "SVC_TRUSTED_PROXIES",
    "Addresses or CIDR ranges of proxies whose X-Forwarded-For header is trusted."
  ),
  connectionsPerAddress: integer(
    "SVC_CONNECTIONS_PER_ADDRESS",
    { default: 1000, min: 0, max: 1_000_000 },
    "Maximum connections of one address to one process; 0: no limit. 127.0.0.1, ::1 and SVC_TRUSTED_PROXIES are exempt."
  ),
  allowedHosts: hostNames(
    "SVC_ALLOWED_HOSTS",
    "Additional host names that the brain accepts, in addition to those of svc allowed-hosts."
  ),
  dashboard: flag("SVC_DASHBOARD", { default: true }, "The brain serves the dashboard at its address."),
  logUrlTemplate: urlTemplate(
    "SVC_LOG_URL_TEMPLATE",
    "URL of a task's log in another system, as `log_url` of the task; {project}, {engine}, {task_id}, {name}, {queue}, {worker}, {received}, {started} and {ended} stand for its values, encoded."
  ),
  corsOrigins: origins("SVC_CORS_ORIGINS", "Other sites whose pages may call the API from a browser; empty: none."),
  logLevel: oneOf(
    "SVC_LOG_LEVEL",
    { default: "info", values: ["debug", "info", "warning", "error"] },
    "Lowest level that is logged."
  ),

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
  releasesUrl: url(
    "SVC_RELEASES_URL",
    "Document that names the newest release of svc, read when someone asks for it (docs/operations.md); unset: none."
  ),
  // no package index has svc under a name of its own yet, so no key is built in
  releaseKey: publicKey(
    "SVC_RELEASE_KEY",
    "Public key that signs releases of svc, 32 bytes as base64url; svc upgrade --apply installs no other."
  ),
  inContainer: flag(
    "SVC_CONTAINER",
    { default: false },
    "svc runs in a container image, so svc upgrade --apply is refused. An image sets it."
  )
} as const
