import { secondsPerDay } from "../../../domain/kernel/Timestamp.ts"
import { flag, groupRoles, integer, oneOf, secret, sender, smtpServer, text, url } from "./Kinds.ts"

/** Sessions, logins, the second factor, mail. */
export const identitySettings = {
  sessionAbsoluteLifetime: integer(
    "SVC_SESSION_ABSOLUTE_LIFETIME_SECONDS",
    { default: 7 * secondsPerDay, min: 60, max: 365 * secondsPerDay },
    "A session ends this long after login."
  ),
  sessionIdleTimeout: integer(
    "SVC_SESSION_IDLE_TIMEOUT_SECONDS",
    { default: 1800, min: 60, max: 365 * secondsPerDay },
    "A session ends after this long without a request."
  ),
  sessionRememberMeLifetime: integer(
    "SVC_SESSION_REMEMBER_ME_LIFETIME_SECONDS",
    { default: 30 * secondsPerDay, min: 60, max: 365 * secondsPerDay },
    "Lifetime of a remembered session."
  ),
  loginLockoutThreshold: integer(
    "SVC_LOGIN_LOCKOUT_THRESHOLD",
    { default: 10, min: 1, max: 1000 },
    "Failed logins in a row that lock an account."
  ),
  loginLockoutDuration: integer(
    "SVC_LOGIN_LOCKOUT_DURATION_SECONDS",
    { default: 900, min: 1, max: secondsPerDay },
    "How long a locked account stays locked."
  ),
  loginMinDuration: integer(
    "SVC_LOGIN_MIN_DURATION_MS",
    { default: 300, min: 0, max: 10_000 },
    "Shortest response time of a login."
  ),
  setupTokenTtl: integer(
    "SVC_SETUP_TOKEN_TTL_SECONDS",
    { default: secondsPerDay, min: 60, max: 30 * secondsPerDay },
    "Lifetime of a one-time setup link."
  ),
  firstBootAttemptsPerIp: integer(
    "SVC_FIRST_BOOT_ATTEMPTS_PER_IP",
    { default: 30, min: 1, max: 1000 },
    "Maximum setup attempts of one address in 15 minutes."
  ),

  smtpUrl: smtpServer("SVC_SMTP_URL", "Mail server, such as smtp://user:password@host:587; unset: no mail is sent."),
  smtpFrom: sender(
    "SVC_SMTP_FROM",
    "Sender of mail, such as Tasks <svc@example.com> (default: the user of SVC_SMTP_URL, else svc@ the host of SVC_PUBLIC_URL)."
  ),
  oidcIssuer: url("SVC_OIDC_ISSUER", "Issuer of the OpenID Connect provider for sign-in; unset: none."),
  oidcClientId: text("SVC_OIDC_CLIENT_ID", { default: "svc" }, "The brain's client id at the provider."),
  oidcClientSecret: secret(
    "SVC_OIDC_CLIENT_SECRET",
    "The brain's client secret at the provider; unset: a public client, with PKCE alone."
  ),
  oidcScopes: text(
    "SVC_OIDC_SCOPES",
    { default: "openid email profile" },
    "Scopes that the brain asks the provider for."
  ),
  oidcGroupsClaim: text(
    "SVC_OIDC_GROUPS_CLAIM",
    { default: "groups" },
    "Claim of the ID token, or of the UserInfo endpoint, with the person's groups."
  ),
  oidcTrustEmail: flag(
    "SVC_OIDC_TRUST_EMAIL",
    { default: false },
    "An address counts as verified if the provider does not say whether it is; never if it says no."
  ),
  oidcGroupRoles: groupRoles(
    "SVC_OIDC_GROUP_ROLES",
    "Roles that groups give, such as platform=shop:operator,audit=shop:auditor; empty: sign-in changes no role."
  ),
  approvalTtl: integer(
    "SVC_APPROVAL_TTL_SECONDS",
    { default: secondsPerDay, min: 60, max: 30 * secondsPerDay },
    "An operation that waits for a second person expires after this long."
  ),
  approvalBulkWindow: integer(
    "SVC_APPROVAL_BULK_WINDOW_SECONDS",
    { default: 3600, min: 60, max: 7 * secondsPerDay },
    "`bulk_over` of a project counts the tasks of a person's bulk operations of this long."
  ),
  approvalDeciderDays: integer(
    "SVC_APPROVAL_DECIDER_DAYS",
    { default: 7, min: 0, max: 365 },
    "How many days before a request a person must have decided in the project to approve it."
  ),
  passwordLogin: oneOf(
    "SVC_PASSWORD_LOGIN",
    { default: "all", values: ["all", "global_admins"] },
    "Who may sign in with a password."
  ),
  mfaEnforceForAdmins: flag(
    "SVC_MFA_ENFORCE_FOR_ADMINS",
    { default: false },
    "Global admins must have a second factor."
  ),
  mfaEnforceForAll: flag("SVC_MFA_ENFORCE_FOR_ALL", { default: false }, "All users must have a second factor."),
  mfaEnrollmentGraceDays: integer(
    "SVC_MFA_ENROLLMENT_GRACE_DAYS",
    { default: 7, min: 0, max: 90 },
    "Grace period to enrol a required second factor, from the user's next login on."
  ),
  mfaVerificationRate: integer(
    "SVC_MFA_VERIFICATION_RATE_PER_MIN",
    { default: 10, min: 1, max: 1000 },
    "Codes and step-up passwords of one address that are verified per minute."
  ),
  mfaStepUpWindow: integer(
    "SVC_MFA_STEP_UP_WINDOW_SECONDS",
    { default: 300, min: 10, max: secondsPerDay },
    "How long a login, a code or a password counts as a step-up."
  ),
  mfaTrustedDeviceDays: integer(
    "SVC_MFA_TRUSTED_DEVICE_DAYS",
    { default: 30, min: 1, max: 365 },
    "A trusted browser needs no code at login for this long."
  )
} as const
