/**
 * Former settings that are no longer read (interface, Limits: login lockout). They cause a warning, never a refusal.
 */
export const deprecatedSettings: ReadonlySet<string> = new Set([
  "SVC_LOGIN_BACKOFF_BASE_SECONDS",
  "SVC_LOGIN_BACKOFF_MAX_SECONDS"
])
