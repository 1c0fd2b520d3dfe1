import { Schema } from "effect"

/**
 * Every `code` of a problem document, with its status and what it means to the caller. The reference is made of this
 * list. A code is stable: clients act on it. One that is not here does not compile.
 */
export const codes = {
  bad_request: {
    status: 400,
    meaning: "The request is not HTTP that the brain can read, or its path is not percent-encoded UTF-8."
  },
  host_not_allowed: {
    status: 400,
    meaning: "The Host header is malformed, or names a host that the brain does not serve (`SVC_ALLOWED_HOSTS`)."
  },
  malformed_json: { status: 400, meaning: "The request body is not JSON in UTF-8." },
  frame_refused: {
    status: 400,
    meaning: "A frame's signature, sequence or time is wrong. Continue with a new session nonce."
  },
  session_nonce_missing: {
    status: 400,
    meaning: "The session nonce header is missing or is not 22 URL-safe characters."
  },
  logout_token_refused: {
    status: 400,
    meaning: "The provider's logout token is invalid, has expired, or was used before. The brain's log has the reason."
  },
  unauthenticated: { status: 401, meaning: "There is no credential, or it is no longer valid." },
  login_failed: {
    status: 401,
    meaning: "The e-mail address or the password is wrong, or the account is locked or inactive."
  },
  mfa_required: {
    status: 401,
    meaning: "The session has not passed its second factor. Call `POST /auth/mfa/verify` first."
  },
  forbidden: { status: 403, meaning: "The caller's role, or the kind of its credential, does not permit this." },
  scope_missing: { status: 403, meaning: "The API key does not have the scope that this operation needs." },
  address_not_allowed: {
    status: 403,
    meaning: "The API key or the project may not be used from this address (`allowed_cidrs`)."
  },
  csrf_failed: {
    status: 403,
    meaning: "The `X-CSRF-Token` header does not match the CSRF cookie, or the request comes from another site."
  },
  https_required: {
    status: 403,
    meaning: "Plain HTTP would expose the password or the token. Use the brain's https address."
  },
  mfa_reverify_required: { status: 403, meaning: "The step-up window has passed. Send a code or the password again." },
  mfa_enrollment_required: {
    status: 403,
    meaning: "The deadline to enrol a second factor has passed; `details.deadline` is when."
  },
  mfa_locked: { status: 403, meaning: "Too many wrong codes. Wait until the lock expires." },
  wrong_code: { status: 403, meaning: "The code of the second factor is wrong or was used already." },
  approval_required: {
    status: 403,
    meaning:
      "The operation waits for a second person; `details.approval_id` names it. It is done when that person approves."
  },
  decider_too_new: {
    status: 403,
    meaning: "The person became a decider after the request, or too shortly before it (`SVC_APPROVAL_DECIDER_DAYS`)."
  },
  own_approval: { status: 403, meaning: "Only another person than the one who asked may approve or reject." },
  oidc_refused: {
    status: 403,
    meaning: "The provider refused the sign-in, its response is invalid, or the sign-in took longer than ten minutes."
  },
  oidc_not_linked: {
    status: 403,
    meaning: "No account is linked to the provider's. Sign in with the password and link it, or ask an admin."
  },
  password_login_disabled: {
    status: 403,
    meaning: "Only global admins sign in with a password (`SVC_PASSWORD_LOGIN`). Sign in through the provider."
  },
  wrong_password: { status: 403, meaning: "The current password is wrong." },
  scope_admin_only: { status: 403, meaning: "Only a global admin can create a key with this scope." },
  setup_token_invalid: {
    status: 403,
    meaning: "The setup token is wrong, used or expired. A restart prints a new link."
  },
  reset_token_invalid: { status: 403, meaning: "The reset token is wrong, used or expired. Request a new link." },
  invitation_invalid: { status: 403, meaning: "The invitation token is wrong, used, revoked or expired." },
  alert_link_invalid: {
    status: 403,
    meaning: "The link of a message is wrong or older than 7 days, or its alert is deleted."
  },
  wrong_account: { status: 403, meaning: "The invitation is for another e-mail address than the session's." },
  not_found: {
    status: 404,
    meaning:
      "The resource does not exist, or the caller is not a member of its project; `details.resource` names the kind."
  },
  method_not_allowed: {
    status: 405,
    meaning: "The path exists, but not with this method; the `Allow` header lists those it has."
  },
  request_timeout: { status: 408, meaning: "The request did not arrive in time." },
  conflict: { status: 409, meaning: "Another request changed the same thing at the same moment." },
  idempotency_conflict: {
    status: 409,
    meaning:
      "The idempotency key was used with another request, is still in use, or its response contained a secret that is shown once."
  },
  agent_name_taken: { status: 409, meaning: "The project has an agent with this name." },
  slug_taken: { status: 409, meaning: "There is a project with this slug." },
  email_taken: { status: 409, meaning: "There is a user with this e-mail address." },
  last_admin: { status: 409, meaning: "The last active global admin cannot be demoted, deactivated or deleted." },
  user_inactive: { status: 409, meaning: "The user is not active." },
  already_member: { status: 409, meaning: "The user is a member of the project." },
  invitation_accepted: { status: 409, meaning: "The invitation was accepted and cannot be revoked." },
  sign_in_first: {
    status: 409,
    meaning: "The invited address has an account. Accept the invitation with its session."
  },
  command_not_pending: { status: 409, meaning: "The command was sent or has ended, so that it cannot be cancelled." },
  delivery_pending: { status: 409, meaning: "The delivery is still pending, so that it cannot be sent again." },
  channel_not_active: {
    status: 409,
    meaning: "The channel of the delivery was deleted or is not active, so that nothing can be sent to it."
  },
  too_many_automation_rules: { status: 409, meaning: "The project has 200 automation rules." },
  saved_view_name_taken: { status: 409, meaning: "The caller has a saved view with this name in the project." },
  too_many_searchable_paths: { status: 409, meaning: "The project has 16 searchable paths." },
  too_many_saved_views: {
    status: 409,
    meaning: "The caller has 100 saved views in the project, or the project shares 500."
  },
  too_many_subscriptions: {
    status: 409,
    meaning: "The project has 200 defaults, or the caller has 200 subscriptions."
  },
  too_many_maintenance_windows: {
    status: 409,
    meaning: "The project has 100 maintenance windows that have not ended."
  },
  too_many_channels: { status: 409, meaning: "The project has 100 channels, or the caller has 20." },
  alert_ended: { status: 409, meaning: "The alert has ended, so it is neither acknowledged nor snoozed." },
  schedule_name_taken: { status: 409, meaning: "The scheduler has a schedule with this name in the project." },
  schedule_externally_owned: {
    status: 409,
    meaning: "Another scheduler owns the schedule, so that the brain cannot do this with it."
  },
  schedule_quarantined: { status: 409, meaning: "The schedule is in quarantine." },
  stale_control_token: { status: 409, meaning: "The schedule has changed since the caller read its control token." },
  command_status_changed: { status: 409, meaning: "The command has another status than the caller saw." },
  fire_not_resolvable: { status: 409, meaning: "The outcome of the fire is known, still to come, or another route's." },
  fire_already_resolved: { status: 409, meaning: "The fire was resolved with another decision." },
  schedule_operation_unsupported: {
    status: 409,
    meaning: "The scheduler cannot do this with its schedules; `detail` says what it can do."
  },
  schedule_publisher_offline: {
    status: 409,
    meaning: "No connected agent publishes the schedules of this scheduler. Start one, then repeat the request."
  },
  schedule_operation_open: {
    status: 409,
    meaning: "Another operation of the schedule has no result yet. Wait for its end, then repeat the request."
  },
  no_agent: { status: 409, meaning: "The project has no agent that serves the schedule's engine." },
  agent_offline: {
    status: 409,
    meaning: "No connected agent of the project serves the engine. Start one, then repeat the request."
  },
  agent_refused: { status: 409, meaning: "The agent could not do it; `detail` has its reason." },
  dead_letters_unsupported: { status: 409, meaning: "The connected agents of the engine cannot list dead letters." },
  bulk_retry_ended: { status: 409, meaning: "The bulk retry has ended or was cancelled. Create another one." },
  too_many_bulk_retries: {
    status: 409,
    meaning: "The project has too many bulk retries that have not ended. Wait for one, or cancel one."
  },
  bulk_job_ended: { status: 409, meaning: "The bulk job has ended or was stopped." },
  too_many_bulk_jobs: {
    status: 409,
    meaning: "The project has 20 bulk jobs that have not ended. Wait for one, or stop one."
  },
  mfa_enrolled: { status: 409, meaning: "The user has a second factor." },
  mfa_not_enrolled: { status: 409, meaning: "The user has no second factor." },
  mfa_required_by_setting: {
    status: 409,
    meaning: "`SVC_MFA_ENFORCE_FOR_ALL` requires a second factor of everyone. Change that setting."
  },
  mfa_enrollment_expired: { status: 409, meaning: "No enrolment is pending, or it has expired. Start again." },
  promote_instead: {
    status: 409,
    meaning: "A project wants approvals: create the user first, and then make them a global admin, which waits."
  },
  approval_decided: { status: 409, meaning: "The approval was decided, or has expired." },
  approval_outdated: {
    status: 409,
    meaning:
      "In an approval's `result`: what was approved is not what would be done now, or another version stored it. Nothing was done."
  },
  too_many_approvals: { status: 409, meaning: "The project has 100 operations that wait for a second person." },
  no_second_person: { status: 409, meaning: "No other person could approve: the project needs another admin first." },
  oidc_not_configured: { status: 409, meaning: "The brain has no provider for sign-in (`SVC_OIDC_ISSUER`)." },
  oidc_already_linked: { status: 409, meaning: "The provider's account is linked to a user." },
  last_sign_in_method: {
    status: 409,
    meaning: "Without this link the account could not sign in. Set a password first."
  },
  setup_done: { status: 409, meaning: "The brain has its first admin." },
  use_bulk_retry_requests: { status: 410, meaning: "A retry by filter is another operation. Send `filter.task_ids`." },
  payload_too_large: {
    status: 413,
    meaning: "The request body exceeds the operation's limit; `details.limit` is the limit in bytes."
  },
  unsupported_media_type: {
    status: 415,
    meaning: "The request body is not declared as `application/json`, or as a form where the operation takes one."
  },
  validation_failed: {
    status: 422,
    meaning: "A field is missing or out of type, range or size; `details.issues` names each, at most 20."
  },
  upgrade_required: {
    status: 426,
    meaning: "The path is a WebSocket; the request asks for no upgrade. A proxy may have removed its `Upgrade` header."
  },
  rate_limited: {
    status: 429,
    meaning:
      "There were too many requests of this kind from this address or user, or too many wait for its earlier reads."
  },
  request_head_too_large: { status: 431, meaning: "The URL and the headers exceed 32 KiB." },
  internal_error: { status: 500, meaning: "The brain failed. Its log has the cause under the `request_id`." },
  export_job_not_completed: { status: 409, meaning: "The export has no file yet, or it failed." },
  too_many_export_jobs: { status: 409, meaning: "The project has 5 exports of this kind that have not ended." },
  version_check_disabled: { status: 409, meaning: "`SVC_RELEASES_URL` is not set." },
  version_check_failed: {
    status: 503,
    meaning: "The brain could not read the document at `SVC_RELEASES_URL`; `detail` says why."
  },
  unavailable: {
    status: 503,
    meaning: "The database does not respond or its disk is full. Send the same request again later."
  },
  agent_no_answer: {
    status: 503,
    meaning: "The agent did not respond in time. It may be busy with another command. Try again."
  },
  audit_log_contradicted: {
    status: 503,
    meaning:
      "The audit log lacks rows that were signed for or committed. Nothing is changed until a person decides (`svc audit fork-cleanup`)."
  }
} as const satisfies Readonly<Record<string, { readonly status: number; readonly meaning: string }>>

export type Code = keyof typeof codes

/** The codes of a status. */
export type CodeOf<Status extends number> = {
  [C in Code]: (typeof codes)[C]["status"] extends Status ? C : never
}[Code]

// the keys of the object above, which Object.keys types as string
export const allCodes = Object.keys(codes) as ReadonlyArray<Code>

/**
 * The `code` member of a failure of this status. The type lets the program write its own codes only; any text is read,
 * because a newer brain may return a code that this client does not know.
 */
// the cast narrows the type for writing only; decoding accepts any string, for the reason above
export const codeSchema = <Status extends number>(_status: Status) =>
  Schema.String as unknown as Schema.Schema<CodeOf<Status>, string>
