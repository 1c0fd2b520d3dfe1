import { Schema } from "effect"

/**
 * Every `code` of a problem document, with its status and what it means to the caller. The reference is made of this
 * list. A code is stable: clients act on it. One that is not here does not compile.
 */
const meanings = {
  400: {
    bad_request: "The request is not HTTP that the brain can read, or its path is not percent-encoded UTF-8.",
    host_not_allowed:
      "The Host header is malformed, or names a host that the brain does not serve (`SVC_ALLOWED_HOSTS`).",
    malformed_json: "The request body is not JSON in UTF-8.",
    frame_refused: "A frame's signature, sequence or time is wrong. Continue with a new session nonce.",
    session_nonce_missing: "The session nonce header is missing or is not 22 URL-safe characters.",
    logout_token_refused:
      "The provider's logout token is invalid, has expired, or was used before. The brain's log has the reason."
  },
  401: {
    unauthenticated: "There is no credential, or it is no longer valid.",
    login_failed: "The e-mail address or the password is wrong, or the account is locked or inactive.",
    mfa_required: "The session has not passed its second factor. Call `POST /auth/mfa/verify` first."
  },
  403: {
    forbidden: "The caller's role, or the kind of its credential, does not permit this.",
    scope_missing: "The API key does not have the scope that this operation needs.",
    address_not_allowed: "The API key or the project may not be used from this address (`allowed_cidrs`).",
    csrf_failed: "The `X-CSRF-Token` header does not match the CSRF cookie, or the request comes from another site.",
    https_required: "Plain HTTP would expose the password or the token. Use the brain's https address.",
    mfa_reverify_required: "The step-up window has passed. Send a code or the password again.",
    mfa_enrollment_required: "The deadline to enrol a second factor has passed; `details.deadline` is when.",
    mfa_locked: "Too many wrong codes. Wait until the lock expires.",
    wrong_code: "The code of the second factor is wrong or was used already.",
    approval_required:
      "The operation waits for a second person; `details.approval_id` names it. It is done when that person approves.",
    decider_too_new:
      "The person became a decider after the request, or too shortly before it (`SVC_APPROVAL_DECIDER_DAYS`).",
    own_approval: "Only another person than the one who asked may approve or reject.",
    oidc_refused:
      "The provider refused the sign-in, its response is invalid, or the sign-in took longer than ten minutes.",
    oidc_not_linked: "No account is linked to the provider's. Sign in with the password and link it, or ask an admin.",
    password_login_disabled:
      "Only global admins sign in with a password (`SVC_PASSWORD_LOGIN`). Sign in through the provider.",
    wrong_password: "The current password is wrong.",
    scope_admin_only: "Only a global admin can create a key with this scope.",
    setup_token_invalid: "The setup token is wrong, used or expired. A restart prints a new link.",
    reset_token_invalid: "The reset token is wrong, used or expired. Request a new link.",
    invitation_invalid: "The invitation token is wrong, used, revoked or expired.",
    alert_link_invalid: "The link of a message is wrong or older than 7 days, or its alert is deleted.",
    wrong_account: "The invitation is for another e-mail address than the session's."
  },
  404: {
    not_found:
      "The resource does not exist, or the caller is not a member of its project; `details.resource` names the kind."
  },
  405: {
    method_not_allowed: "The path exists, but not with this method; the `Allow` header lists those it has."
  },
  408: {
    request_timeout: "The request did not arrive in time."
  },
  409: {
    conflict: "Another request changed the same thing at the same moment.",
    idempotency_conflict:
      "The idempotency key was used with another request, is still in use, or its response contained a secret that is shown once.",
    agent_name_taken: "The project has an agent with this name.",
    slug_taken: "There is a project with this slug.",
    email_taken: "There is a user with this e-mail address.",
    last_admin: "The last active global admin cannot be demoted, deactivated or deleted.",
    user_inactive: "The user is not active.",
    already_member: "The user is a member of the project.",
    invitation_accepted: "The invitation was accepted and cannot be revoked.",
    sign_in_first: "The invited address has an account. Accept the invitation with its session.",
    command_not_pending: "The command was sent or has ended, so that it cannot be cancelled.",
    delivery_pending: "The delivery is still pending, so that it cannot be sent again.",
    channel_not_active: "The channel of the delivery was deleted or is not active, so that nothing can be sent to it.",
    too_many_automation_rules: "The project has 200 automation rules.",
    saved_view_name_taken: "The caller has a saved view with this name in the project.",
    too_many_searchable_paths: "The project has 16 searchable paths.",
    too_many_saved_views: "The caller has 100 saved views in the project, or the project shares 500.",
    too_many_subscriptions: "The project has 200 defaults, or the caller has 200 subscriptions.",
    too_many_maintenance_windows: "The project has 100 maintenance windows that have not ended.",
    too_many_channels: "The project has 100 channels, or the caller has 20.",
    alert_ended: "The alert has ended, so it is neither acknowledged nor snoozed.",
    schedule_name_taken: "The scheduler has a schedule with this name in the project.",
    schedule_externally_owned: "Another scheduler owns the schedule, so that the brain cannot do this with it.",
    schedule_quarantined: "The schedule is in quarantine.",
    stale_control_token: "The schedule has changed since the caller read its control token.",
    command_status_changed: "The command has another status than the caller saw.",
    fire_not_resolvable: "The outcome of the fire is known, still to come, or another route's.",
    fire_already_resolved: "The fire was resolved with another decision.",
    schedule_operation_unsupported: "The scheduler cannot do this with its schedules; `detail` says what it can do.",
    schedule_publisher_offline:
      "No connected agent publishes the schedules of this scheduler. Start one, then repeat the request.",
    schedule_operation_open:
      "Another operation of the schedule has no result yet. Wait for its end, then repeat the request.",
    no_agent: "The project has no agent that serves the schedule's engine.",
    agent_offline: "No connected agent of the project serves the engine. Start one, then repeat the request.",
    agent_refused: "The agent could not do it; `detail` has its reason.",
    dead_letters_unsupported: "The connected agents of the engine cannot list dead letters.",
    bulk_retry_ended: "The bulk retry has ended or was cancelled. Create another one.",
    too_many_bulk_retries: "The project has too many bulk retries that have not ended. Wait for one, or cancel one.",
    bulk_job_ended: "The bulk job has ended or was stopped.",
    too_many_bulk_jobs: "The project has 20 bulk jobs that have not ended. Wait for one, or stop one.",
    mfa_enrolled: "The user has a second factor.",
    mfa_not_enrolled: "The user has no second factor.",
    mfa_required_by_setting: "`SVC_MFA_ENFORCE_FOR_ALL` requires a second factor of everyone. Change that setting.",
    mfa_enrollment_expired: "No enrolment is pending, or it has expired. Start again.",
    promote_instead:
      "A project wants approvals: create the user first, and then make them a global admin, which waits.",
    approval_decided: "The approval was decided, or has expired.",
    approval_outdated:
      "In an approval's `result`: what was approved is not what would be done now, or another version stored it. Nothing was done.",
    too_many_approvals: "The project has 100 operations that wait for a second person.",
    no_second_person: "No other person could approve: the project needs another admin first.",
    oidc_not_configured: "The brain has no provider for sign-in (`SVC_OIDC_ISSUER`).",
    oidc_already_linked: "The provider's account is linked to a user.",
    last_sign_in_method: "Without this link the account could not sign in. Set a password first.",
    setup_done: "The brain has its first admin.",
    export_job_not_completed: "The export has no file yet, or it failed.",
    too_many_export_jobs: "The project has 5 exports of this kind that have not ended.",
    version_check_disabled: "`SVC_RELEASES_URL` is not set."
  },
  410: {
    use_bulk_retry_requests: "A retry by filter is another operation. Send `filter.task_ids`."
  },
  413: {
    payload_too_large: "The request body exceeds the operation's limit; `details.limit` is the limit in bytes."
  },
  415: {
    unsupported_media_type:
      "The request body is not declared as `application/json`, or as a form where the operation takes one."
  },
  422: {
    validation_failed: "A field is missing or out of type, range or size; `details.issues` names each, at most 20."
  },
  426: {
    upgrade_required:
      "The path is a WebSocket; the request asks for no upgrade. A proxy may have removed its `Upgrade` header."
  },
  429: {
    rate_limited:
      "There were too many requests of this kind from this address or user, or too many wait for its earlier reads."
  },
  431: {
    request_head_too_large: "The URL and the headers exceed 32 KiB."
  },
  500: {
    internal_error: "The brain failed. Its log has the cause under the `request_id`."
  },
  503: {
    version_check_failed: "The brain could not read the document at `SVC_RELEASES_URL`; `detail` says why.",
    unavailable: "The database does not respond or its disk is full. Send the same request again later.",
    agent_no_answer: "The agent did not respond in time. It may be busy with another command. Try again.",
    audit_log_contradicted:
      "The audit log lacks rows that were signed for or committed. Nothing is changed until a person decides (`svc audit fork-cleanup`)."
  }
} as const satisfies Readonly<Record<number, Readonly<Record<string, string>>>>

type Status = keyof typeof meanings

/** The codes of a status. */
export type CodeOf<S extends number> = S extends Status ? keyof (typeof meanings)[S] : never

export type Code = CodeOf<Status>

interface CodeMeaning {
  readonly status: number
  readonly meaning: string
}

// the cast: the keys of the object above, which Object.entries types as string
export const codes = Object.fromEntries(
  Object.entries(meanings).flatMap(([status, meaningByCode]) =>
    Object.entries(meaningByCode).map(([code, meaning]) => [code, { status: Number(status), meaning }])
  )
) as Readonly<Record<Code, CodeMeaning>>

// the keys of the object above, which Object.keys types as string
export const allCodes = Object.keys(codes) as ReadonlyArray<Code>

/**
 * The `code` member of a failure of this status. The type lets the program write its own codes only; any text is read,
 * because a newer brain may return a code that this client does not know.
 */
// the cast narrows the type for writing only; decoding accepts any string, for the reason above
export const codeSchema = <Status extends number>(_status: Status) =>
  Schema.String as unknown as Schema.Schema<CodeOf<Status>, string>
