/** Settings of before that nothing reads any more (interface, Limits: login lockout). They are warned of and never refused. */
export const deprecatedSettings: ReadonlySet<string> = new Set(["SVC_LOGIN_BACKOFF_BASE_SECONDS", "SVC_LOGIN_BACKOFF_MAX_SECONDS"])
