/**
 * Who may call what: written by hand from the contract, endpoint by endpoint, and from nothing in `src`. Where the
 * contract is silent, the line's comment says which page of docs/ decides.
 */

/** The caller with the fewest rights that may; all later ones may too. */
export type Least =
  | "public"
  /** A browser's session; an API key may not, whatever its scopes. */
  | "session"
  /** Any person, by session or by key. */
  | "known"
  | "agent"
  | "viewer"
  /** A viewer who also reads the audit log; admin includes it, operator does not. */
  | "auditor"
  | "operator"
  | "admin"
  | "global admin"

/** A key's scope for it; null where no key is asked for one. */
export type Scope = `${string}:${string}` | null

/**
 * `csrf`: a browser must send the token. `step-up`: and must have proven itself a short while ago.
 * `while restricted`: also past the deadline for a second factor. `while owing`: also before the second factor.
 * `unbound key`: a key that is bound to a project may not, since it concerns the whole brain (docs/internals/identity.md, Access).
 * `gives a role`: a key also needs every scope of that role (docs/internals/identity.md, Access).
 */
export type Mark = "csrf" | "step-up" | "while restricted" | "while owing" | "gives a role" | "unbound key"

export interface Endpoint {
  readonly method: string
  /** From the root; `{name}` is a parameter. */
  readonly path: string
  readonly least: Least
  readonly scope: Scope
  readonly marks: ReadonlyArray<Mark>
  /** The outcomes for a caller with access: the status, and the code of a problem. */
  readonly outcomes: ReadonlyArray<string>
}

const under = (base: string) =>
(
  route: string,
  least: Least,
  scope: Scope,
  marks: ReadonlyArray<Mark>,
  ...outcomes: ReadonlyArray<string | number>
): Endpoint => {
  const [method = "", path = ""] = route.split(" ")
  return { method, path: `${base}${path}`, least, scope, marks, outcomes: outcomes.map(String) }
}

const root = under("")
const api = under("/api/v1")
const project = under("/api/v1/projects/{slug}")

export const endpoints: ReadonlyArray<Endpoint> = [
  // pages, documents and health. Contract: "Health and metrics"
  root("GET /", "public", null, [], 200),
  root("GET /setup", "public", null, [], 200),
  root("GET /reset-password", "public", null, [], 200),
  root("GET /invitation", "public", null, [], 200),
  root("GET /health", "public", null, [], 200),
  api("GET /docs", "public", null, [], 200),
  api("GET /openapi.json", "public", null, [], 200),
  api("GET /health", "public", null, [], 200),
  api("GET /health/ready", "public", null, [], 200),
  api("GET /schedulers", "known", "schedules:read", [], 200), // docs/schedules.md: of the caller's projects
  api("GET /health/system", "known", "home:read", [], 200), // the scope: docs/internals/identity.md, Access
  api("GET /health/deep", "known", "home:read", [], 200, 503), // the scope: docs/internals/identity.md, Access

  // the first boot is over here. Contract: "Session and account"
  root("GET /setup/status", "public", null, [], 200),
  root("POST /setup/complete", "public", null, [], "409 setup_done"),
  api("GET /setup/status", "public", null, [], 200),
  api("POST /setup/complete", "public", null, [], "409 setup_done"),

  // Contract: "Session and account"; with auth:read a key may read, but change nothing: docs/internals/identity.md, Access
  api("POST /auth/login", "public", null, [], 200),
  api("POST /auth/logout", "session", null, ["csrf", "while restricted", "while owing"], 204),
  api("GET /auth/policy", "known", "auth:read", [], 200),
  api("GET /auth/me", "known", "auth:read", ["while restricted", "while owing"], 200),
  api("PATCH /auth/me", "session", null, ["csrf"], 200),
  api("POST /auth/change-password", "session", null, ["csrf"], 200),
  api("GET /auth/sessions", "session", null, [], 200),
  api("POST /auth/sessions/{session_id}/revoke", "session", null, ["csrf"], 200),
  api("POST /auth/sessions/revoke-others", "session", null, ["csrf"], 200),
  api("POST /auth/password-reset/request", "public", null, [], 200),
  api("POST /auth/password-reset/confirm", "public", null, [], 200),

  // Contract: "Session and account", "MFA enforcement"; who owes the second factor may verify, see who they are, and leave
  // oidc.md; the brain of the test has no provider
  api("GET /auth/oidc", "public", null, [], 200),
  api("GET /auth/oidc/start", "public", null, [], "409 oidc_not_configured"),
  api("GET /auth/oidc/callback", "public", null, [], "403 oidc_refused"),
  api("POST /auth/oidc/backchannel-logout", "public", null, [], "409 oidc_not_configured"),
  api("GET /auth/oidc/identities", "session", null, [], 200),
  api("POST /auth/oidc/link", "session", null, ["csrf", "step-up"], "409 oidc_not_configured"),
  api("DELETE /auth/oidc/identities/{identity_id}", "session", null, ["csrf", "step-up"], "404 not_found"),
  api("POST /auth/oidc/logout", "session", null, ["csrf"], 200),
  api("POST /auth/reauthenticate", "session", null, ["csrf"], 200), // docs/internals/identity.md, Second factor
  api("GET /auth/mfa/status", "session", null, ["while restricted"], 200),
  api("POST /auth/mfa/enroll-start", "session", null, ["csrf", "step-up", "while restricted"], 200),
  api("POST /auth/mfa/enroll-complete", "session", null, ["csrf", "while restricted"], 200), // no step-up: docs/internals/identity.md, Access
  api("POST /auth/mfa/verify", "session", null, ["csrf", "while owing"], 200),
  api("POST /auth/mfa/disable", "session", null, ["csrf", "step-up"], 200),
  api("POST /auth/mfa/recovery-codes/regenerate", "session", null, ["csrf", "step-up"], 200),
  api("GET /auth/mfa/trusted-devices", "session", null, [], 200),
  api("POST /auth/mfa/trusted-devices", "session", null, ["csrf", "step-up"], 201),
  api("PATCH /auth/mfa/trusted-devices/{device_id}", "session", null, ["csrf"], 200),
  api("POST /auth/mfa/trusted-devices/{device_id}/revoke", "session", null, ["csrf"], 204),

  // one's own keys. Contract: "API keys"; who may read: docs/internals/identity.md, Access; what wants a step-up: docs/internals/identity.md, Second factor
  api("GET /api-keys/scopes", "known", "auth:read", [], 200),
  api("GET /api-keys", "known", "auth:read", [], 200),
  api("POST /api-keys", "session", null, ["csrf", "step-up"], 201),
  api("PATCH /api-keys/{key_id}", "session", null, ["csrf", "step-up"], 200),
  api("DELETE /api-keys/{key_id}", "known", "auth:write", ["csrf"], 204),

  api("GET /users", "global admin", "users:read", [], 200),
  api("POST /users", "global admin", "users:write", ["csrf", "step-up", "unbound key"], 201),
  api("GET /users/{user_id}", "global admin", "users:read", [], 200),
  api("PATCH /users/{user_id}", "global admin", "users:write", ["csrf", "step-up", "unbound key"], 200),
  api("DELETE /users/{user_id}", "global admin", "users:write", ["csrf", "step-up", "unbound key"], 204),
  api("POST /users/{user_id}/password", "global admin", "users:write", ["csrf", "step-up", "unbound key"], 204),

  // Contract: "Other paths", "Authentication"
  api("GET /projects", "known", "projects:read", [], 200),
  api("POST /projects", "global admin", "projects:write", ["csrf"], 201),
  project("GET ", "viewer", "projects:read", [], 200),
  project("PATCH ", "admin", "projects:write", ["csrf"], 200),
  project("DELETE ", "global admin", "projects:write", ["csrf", "step-up"], 204), // docs/internals/identity.md, Second factor
  // who gives rights must have proven themselves: docs/internals/identity.md, Second factor
  project("GET /memberships", "admin", "memberships:read", [], 200),
  project("POST /memberships", "admin", "memberships:write", ["csrf", "step-up", "gives a role"], 201),
  project("PATCH /memberships/{membership_id}", "admin", "memberships:write", ["csrf", "step-up", "gives a role"], 200),
  project("DELETE /memberships/{membership_id}", "admin", "memberships:write", ["csrf"], 204),
  project("GET /invitations", "admin", "memberships:read", [], 200),
  project("POST /invitations", "admin", "memberships:write", ["csrf", "step-up", "gives a role"], 201),
  project("DELETE /invitations/{invitation_id}", "admin", "memberships:write", ["csrf"], 204),
  api("POST /invitations/preview", "public", null, [], 200),
  api("POST /invitations/accept", "public", null, ["csrf"], 201), // a cookie decides where there is one: docs/internals/kernel.md, Mail

  // Contract: "Agents"
  // approvals.md
  project("GET /approvals", "operator", "projects:read", [], 200),
  project("GET /approvals/{approval_id}", "operator", "projects:read", [], 200),
  project(
    "POST /approvals/{approval_id}/approve",
    "admin",
    "projects:write",
    ["csrf", "step-up"],
    "409 approval_decided"
  ),
  project("POST /approvals/{approval_id}/reject", "admin", "projects:write", ["csrf"], "409 approval_decided"),
  project("GET /agents", "viewer", "agents:read", [], 200),
  project("GET /agents/uptime", "viewer", "agents:read", [], 200),
  project("POST /agents", "admin", "agents:write", ["csrf", "step-up"], 201), // docs/internals/identity.md, Second factor
  project("PATCH /agents/{agent_id}", "admin", "agents:write", ["csrf", "step-up"], 200),
  project("GET /agents/{agent_id}/health", "viewer", "agents:read", [], 200),
  project("DELETE /agents/{agent_id}", "admin", "agents:write", ["csrf", "step-up"], 204),
  project("GET /agent-workers", "viewer", "workers:read", [], 200), // the scope: docs/internals/identity.md, Access
  project("GET /workers/lint", "viewer", "workers:read", [], 200),
  project("GET /workers", "viewer", "workers:read", [], 200),
  project("GET /workers/{worker_id}", "viewer", "workers:read", [], 200),
  project("GET /queues", "viewer", "queues:read", [], 200),
  project("GET /queues/{engine}/{name}", "viewer", "queues:read", [], 200), // docs/queues.md
  project("PUT /queues/{engine}/{name}/target", "operator", "commands:write", ["csrf"], 200), // docs/queues.md

  project("GET /dead-letters", "viewer", "tasks:read", [], "409 agent_offline"), // docs/dead-letters.md

  // Contract: "Schedules"
  project("GET /schedules", "viewer", "schedules:read", [], 200),
  project("GET /schedules/runs", "viewer", "schedules:read", [], 200),
  project("GET /schedules/misfires", "viewer", "schedules:read", [], 200),
  project("GET /schedules/{schedule_id}", "viewer", "schedules:read", [], 200),
  project("GET /schedules/{schedule_id}/fires", "viewer", "schedules:read", [], 200),
  project("GET /schedules/{schedule_id}/misfires", "viewer", "schedules:read", [], 200),
  project("POST /schedules:preview", "viewer", "schedules:read", [], 200), // docs/schedules.md
  project("POST /schedules:import", "admin", "schedules:write", ["csrf", "step-up"], 200),
  project("POST /schedules:resync", "admin", "schedules:write", ["csrf"], 202),
  project("POST /schedules:diff", "admin", "schedules:write", [], 200), // docs/schedules.md: writes nothing
  project("POST /schedules", "admin", "schedules:write", ["csrf", "step-up"], 201),
  project("PATCH /schedules/{schedule_id}", "admin", "schedules:write", ["csrf", "step-up"], 200),
  project("DELETE /schedules/{schedule_id}", "admin", "schedules:write", ["csrf", "step-up"], 204),
  project("POST /schedules/{schedule_id}/enable", "operator", "schedules:write", ["csrf"], 200),
  project("POST /schedules/{schedule_id}/disable", "operator", "schedules:write", ["csrf"], 200),
  project("POST /schedules/{schedule_id}/pause", "operator", "schedules:write", ["csrf"], 200),
  project("POST /schedules/{schedule_id}/resume", "operator", "schedules:write", ["csrf"], 200),
  project("POST /schedules/{schedule_id}/resolve-terminal-fire", "operator", "schedules:write", ["csrf"], 200),
  project("POST /schedules/{schedule_id}/resolve-legacy-evidence", "operator", "schedules:write", ["csrf"], 200),
  project("POST /schedules/{schedule_id}/legacy-fire-grant", "admin", "schedules:write", ["csrf"], 200),
  project("POST /schedules/{schedule_id}/trigger", "operator", "schedules:write", ["csrf"], 200),
  project("GET /schedules/external-control-operations/{operation_id}", "viewer", "schedules:read", [], 200),
  project("GET /schedules/native-capabilities", "viewer", "schedules:read", [], 200),
  project("POST /schedules/native-operations", "admin", "schedules:write", ["csrf", "step-up"], 202),
  project("GET /schedules/native-operations/{operation_id}", "viewer", "schedules:read", [], 200),
  api("GET /agent/commands", "agent", null, [], 200),
  api("POST /agent/events", "agent", null, [], 200),

  // Contract: "Tasks"
  project("GET /tasks", "viewer", "tasks:read", [], 200),
  project("GET /task-facets", "viewer", "tasks:read", [], 200), // docs/api.md
  project("GET /running-tasks", "viewer", "tasks:read", [], 200),
  project("GET /task-matches", "viewer", "tasks:read", [], 200), // docs/api.md
  project("GET /tasks/{engine}/{task_id}", "viewer", "tasks:read", [], 200),
  project("GET /tasks/{engine}/{task_id}/why", "viewer", "tasks:read", [], 200),
  project("GET /tasks/{engine}/{task_id}/runs", "viewer", "tasks:read", [], 200), // docs/attempts.md
  project("GET /tasks/{engine}/{task_id}/logs", "viewer", "tasks:read", [], 200), // docs/task-logs.md
  project("GET /tasks/{engine}/{task_id}/tree", "viewer", "tasks:read", [], 200),
  project("GET /issues", "viewer", "tasks:read", [], 200),
  project("GET /issues/{fingerprint}", "viewer", "tasks:read", [], 200), // docs/failures.md
  project("PATCH /issues/{fingerprint}", "operator", "tasks:write", ["csrf"], 200), // docs/failures.md
  project("GET /issue-assignees", "operator", "tasks:read", [], 200), // docs/failures.md
  api("GET /home/summary", "known", "home:read", [], 200), // docs/trends.md
  api("GET /home/trends", "known", "home:read", [], 200),
  api("GET /home/recent-failures", "known", "home:read", [], 200),
  project("GET /stats", "viewer", "tasks:read", [], 200), // docs/trends.md
  project("GET /trends", "viewer", "tasks:read", [], 200),
  project("GET /task-names", "viewer", "tasks:read", [], 200),
  project("GET /task-names/{name}", "viewer", "tasks:read", [], 200),
  project("GET /slo", "viewer", "tasks:read", [], 200),
  project("GET /deploys", "viewer", "deploys:read", [], 200), // docs/deploys.md
  project("POST /deploys", "operator", "deploys:write", ["csrf"], 201),
  project("DELETE /deploys/{deploy_id}", "operator", "deploys:write", ["csrf"], 204),
  project("GET /marks", "viewer", "deploys:read", [], 200),
  project("GET /tasks/{engine}/{task_id}/differences", "viewer", "tasks:read", [], 200), // docs/failures.md
  project("GET /task-differences", "viewer", "tasks:read", [], 200),
  project("GET /searchable-paths", "viewer", "tasks:read", [], 200), // docs/api.md
  project("POST /searchable-paths", "operator", "tasks:write", ["csrf"], 201),
  project("DELETE /searchable-paths/{path_id}", "operator", "tasks:write", ["csrf"], 204),
  project("GET /saved-views", "viewer", "tasks:read", [], 200), // docs/api.md
  project("POST /saved-views", "viewer", "tasks:write", ["csrf"], 201),
  project("PUT /saved-views/{view_id}", "viewer", "tasks:write", ["csrf"], 200),
  project("DELETE /saved-views/{view_id}", "viewer", "tasks:write", ["csrf"], 204),
  project("GET /notifications/channels", "admin", "notifications:read", [], 200),
  project("POST /notifications/channels", "admin", "notifications:write", ["csrf", "step-up"], 201),
  project("POST /notifications/channels/import_from_user", "admin", "notifications:write", ["csrf", "step-up"], 201),
  project("POST /notifications/channels/test", "admin", "notifications:write", ["csrf"], 200),
  project("PATCH /notifications/channels/{channel_id}", "admin", "notifications:write", ["csrf", "step-up"], 200),
  project("DELETE /notifications/channels/{channel_id}", "admin", "notifications:write", ["csrf", "step-up"], 204),
  project("POST /notifications/channels/{channel_id}/test", "admin", "notifications:write", ["csrf"], 200),
  // resend is ours: docs/notifications.md
  project("GET /notifications/deliveries", "admin", "notifications:read", [], 200),
  project("DELETE /notifications/deliveries", "admin", "notifications:write", ["csrf"], 200),
  project("GET /notifications/deliveries/{delivery_id}", "admin", "notifications:read", [], 200),
  project("POST /notifications/deliveries/{delivery_id}/resend", "admin", "notifications:write", ["csrf"], 201),
  api("GET /user/deliveries", "known", "notifications:read", [], 200),
  api("GET /user/deliveries/{delivery_id}", "known", "notifications:read", [], 200),
  api("POST /user/deliveries/{delivery_id}/resend", "known", "notifications:write", ["csrf"], 201),
  api("GET /user/notifications", "known", "notifications:read", [], 200),
  api("GET /user/notifications/unread-count", "known", "notifications:read", [], 200),
  api("POST /user/notifications/{notification_id}/read", "known", "notifications:write", ["csrf"], 204),
  api("POST /user/notifications/read-all", "known", "notifications:write", ["csrf"], 204),
  api("GET /user/channels", "known", "notifications:read", [], 200),
  api("POST /user/channels", "known", "notifications:write", ["csrf"], 201),
  // docs/notifications.md: only an admin of the project copies its secrets
  api("POST /user/channels/import_from_project", "known", "notifications:write", ["csrf"], "404 not_found"),
  api("POST /user/channels/test", "known", "notifications:write", ["csrf"], 200),
  api("PATCH /user/channels/{channel_id}", "known", "notifications:write", ["csrf"], 200),
  api("DELETE /user/channels/{channel_id}", "known", "notifications:write", ["csrf"], 204),
  api("POST /user/channels/{channel_id}/test", "known", "notifications:write", ["csrf"], 200),
  project("GET /automation/rules", "viewer", "automation:read", [], 200), // Contract: "Automation"
  project("POST /automation/rules", "operator", "automation:write", ["csrf"], 201),
  project("POST /automation/rules:backtest", "operator", "automation:read", [], 200), // docs/automation.md
  project("GET /automation/rules/{rule_id}", "viewer", "automation:read", [], 200),
  project("PATCH /automation/rules/{rule_id}", "operator", "automation:write", ["csrf"], 200),
  project("DELETE /automation/rules/{rule_id}", "operator", "automation:write", ["csrf"], 204),
  project("POST /automation/rules/{rule_id}/reset-circuit", "operator", "automation:write", ["csrf"], 200),
  project("GET /automation/rules/{rule_id}/executions", "viewer", "automation:read", [], 200), // docs/automation.md
  project("GET /automation/settings", "viewer", "automation:read", [], 200), // docs/automation.md
  project("PUT /automation/settings", "admin", "automation:write", ["csrf"], 200), // docs/automation.md
  project("GET /events", "viewer", "tasks:read", [], 200),
  project("GET /stream", "viewer", "tasks:read", [], 200),
  project("POST /tasks/bulk-delete", "admin", "tasks:delete", ["csrf", "step-up"], 200),
  // docs/api.md: an export in the background shows what the list shows, so that it has the list's role and scope
  project("POST /task-export-jobs", "viewer", "tasks:read", ["csrf"], 202, "409 too_many_export_jobs"),
  project("GET /task-export-jobs", "viewer", "tasks:read", [], 200),
  project("GET /task-export-jobs/{job_id}", "viewer", "tasks:read", [], 200),
  project("GET /task-export-jobs/{job_id}/download", "viewer", "tasks:read", [], 200),
  // those of others need the admin
  project("DELETE /task-export-jobs/{job_id}", "viewer", "tasks:write", ["csrf"], 204),

  // Contract: "Commands": only the purge needs an admin
  project("GET /commands", "viewer", "commands:read", [], 200),
  project("GET /commands/{command_id}", "viewer", "commands:read", [], 200),
  project("POST /commands/{command_id}/cancel", "operator", "commands:write", ["csrf"], 200),
  project("POST /commands/retry-task", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/cancel-task", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/requeue-dead-letter", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/bulk-retry", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/purge-queue", "admin", "commands:write", ["csrf", "step-up"], 202),
  // docs/queues.md: a pause is an operator's, as the control of workers is
  project("POST /commands/pause-queue", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/resume-queue", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/restart-worker", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/pool-resize", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/add-consumer", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/cancel-consumer", "operator", "commands:write", ["csrf"], 202),
  project("POST /commands/rate-limit", "operator", "commands:write", ["csrf"], 202),
  // bodies: bulk-retry-requests; the role is bulk-retry's
  project("POST /bulk-retry-requests", "operator", "commands:write", ["csrf"], 202),
  project("POST /bulk-retry-requests:preview", "operator", "commands:read", [], 200),
  project("GET /bulk-retry-requests", "viewer", "commands:read", [], 200),
  project("GET /bulk-retry-requests/{request_id}", "viewer", "commands:read", [], 200),
  project("GET /bulk-retry-requests/{request_id}/items", "viewer", "commands:read", [], 200),
  project("POST /bulk-retry-requests/{request_id}/pause", "operator", "commands:write", ["csrf"], 200),
  project("POST /bulk-retry-requests/{request_id}/resume", "operator", "commands:write", ["csrf"], 200),
  project("POST /bulk-retry-requests/{request_id}/cancel", "operator", "commands:write", ["csrf"], 200),
  // docs/bulk-jobs.md: a deletion has the role and the scope of bulk-delete
  project("POST /bulk-jobs:delete", "admin", "tasks:delete", ["csrf", "step-up"], 202),
  project("POST /bulk-jobs:cancel", "operator", "commands:write", ["csrf"], 202),
  project("GET /bulk-jobs", "viewer", "commands:read", [], 200),
  project("GET /bulk-jobs/{bulk_job_id}", "viewer", "commands:read", [], 200),
  project("POST /bulk-jobs/{bulk_job_id}/stop", "operator", "commands:write", ["csrf"], 200),

  // Contract: "Notifications": project defaults are admins'; docs/notifications.md decides the rest
  project("GET /notifications/defaults", "admin", "notifications:read", [], 200),
  project("POST /notifications/defaults", "admin", "notifications:write", ["csrf"], 201),
  project("PATCH /notifications/defaults/{default_id}", "admin", "notifications:write", ["csrf"], 200),
  project("DELETE /notifications/defaults/{default_id}", "admin", "notifications:write", ["csrf"], 204),
  project("GET /notifications/maintenance-windows", "viewer", "notifications:read", [], 200),
  project("POST /notifications/maintenance-windows", "admin", "notifications:write", ["csrf"], 201),
  project("PATCH /notifications/maintenance-windows/{window_id}", "admin", "notifications:write", ["csrf"], 200),
  project("DELETE /notifications/maintenance-windows/{window_id}", "admin", "notifications:write", ["csrf"], 204),
  project("GET /notifications/alerts", "viewer", "notifications:read", [], 200),
  project("GET /notifications/alerts/{alert_id}", "viewer", "notifications:read", [], 200),
  project(
    "POST /notifications/alerts/{alert_id}/acknowledge",
    "viewer",
    "notifications:write",
    ["csrf"],
    200,
    "403 forbidden"
  ),
  project(
    "POST /notifications/alerts/{alert_id}/snooze",
    "viewer",
    "notifications:write",
    ["csrf"],
    200,
    "403 forbidden"
  ),
  api("POST /alert-links/preview", "public", null, [], "403 alert_link_invalid"),
  api("POST /alert-links/act", "public", null, [], "403 alert_link_invalid"),
  root("GET /alert", "public", null, [], 200),
  api("GET /user/subscriptions", "known", "notifications:read", [], 200),
  api("POST /user/subscriptions", "known", "notifications:write", ["csrf"], 201, "422 validation_failed"),
  api("PATCH /user/subscriptions/{sub_id}", "known", "notifications:write", ["csrf"], 200, "404 not_found"),
  api("DELETE /user/subscriptions/{sub_id}", "known", "notifications:write", ["csrf"], 204, "404 not_found"),

  // Contract: "Activity feed": any logged-in user
  api("GET /activity", "known", "audit:read", [], 200),
  project("GET /audit", "auditor", "audit:read", [], 200),

  project("GET /audit/verification", "auditor", "audit:read", [], 200),
  project("POST /audit/verification", "auditor", "audit:write", ["csrf"], 202),

  // shapes: audit-exports; who may, as of the list above
  project("POST /audit/export-jobs", "auditor", "audit:write", ["csrf"], 202, "409 too_many_export_jobs"),
  project("GET /audit/export-jobs", "auditor", "audit:read", [], 200),
  project("GET /audit/export-jobs/{job_id}", "auditor", "audit:read", [], 200),
  project("GET /audit/export-jobs/{job_id}/download", "auditor", "audit:read", [], 200),
  project("DELETE /audit/export-jobs/{job_id}", "auditor", "audit:write", ["csrf"], 204),

  // Contract: "Other paths referenced without payload shape"; shapes: system, admin-settings, admin-audit-forwarder
  api("GET /admin/settings", "global admin", "admin:*", [], 200),
  api("GET /admin/mfa-policy", "global admin", "admin:*", [], 200),
  // the tests of the table require a second factor of everyone by the setting
  api("PATCH /admin/mfa-policy", "global admin", "admin:*", ["csrf", "step-up"], "409 mfa_required_by_setting"),
  api("GET /admin/audit-forwarder", "global admin", "admin:*", [], 200),
  api("GET /admin/system/versions", "global admin", "admin:*", [], 200),
  // SVC_RELEASES_URL is not set in the tests
  api("POST /admin/system/versions/check", "global admin", "admin:*", ["csrf"], "409 version_check_disabled")
]

/** Scopes are a resource of these and an action; only what an endpoint asks for is one. */
const resources = [
  "auth",
  "home",
  "projects",
  "tasks",
  "deploys",
  "workers",
  "queues",
  "agents",
  "commands",
  "schedules",
  "audit",
  "memberships",
  "notifications",
  "automation",
  "users"
]

/** Every scope that there could be, but for the one that holds all. */
export const scopes = [...resources.flatMap((resource) => [`${resource}:read`, `${resource}:write`]), "tasks:delete"]
