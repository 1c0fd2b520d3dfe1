/**
 * Former settings that are no longer read (interface, Limits: login lockout; the check of the npm registry). They cause a
 * warning, never a refusal.
 */
export const deprecatedSettings: ReadonlySet<string> = new Set([
  "SVC_LOGIN_BACKOFF_BASE_SECONDS",
  "SVC_LOGIN_BACKOFF_MAX_SECONDS",
  "SVC_VERSION_CHECK_ENABLED"
])
