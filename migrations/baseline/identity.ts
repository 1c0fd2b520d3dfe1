import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** Accounts, how they sign in, and what they may do (docs/accounts.md). Rows that have ended are found by when they ended. */
export const identity: AreaTables = {
  names: [
    "users",
    "sessions",
    "login_places",
    "trusted_devices",
    "mfa_recovery_codes",
    "mfa_policy",
    "oidc_identities",
    "oidc_logout_tokens",
    "password_reset_requests",
    "password_resets",
    "setup_tokens",
    "setup_attempts",
    "projects",
    "memberships",
    "invitations",
    "api_keys",
    "project_deletions"
  ],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { text, uuid } = types(sql)

    yield* sql`CREATE TABLE users (
      id ${uuid} PRIMARY KEY,
      email TEXT NOT NULL,
      email_key ${text} NOT NULL UNIQUE,
      first_name TEXT, last_name TEXT, display_name TEXT,
      password_hash TEXT NOT NULL,
      is_admin INTEGER NOT NULL,
      is_active INTEGER NOT NULL,
      timezone TEXT NOT NULL,
      failed_logins INTEGER NOT NULL DEFAULT 0,
      locked_until ${text},
      last_login_at ${text},
      mfa_secret TEXT,
      mfa_enrolled_at ${text},
      -- the time step of the last code that was taken, so that none is taken twice
      mfa_last_step INTEGER NOT NULL DEFAULT 0,
      mfa_failed_codes INTEGER NOT NULL DEFAULT 0,
      mfa_locked_until ${text},
      mfa_pending_secret TEXT,
      mfa_pending_at ${text},
      mfa_enforcement_started_at ${text},
      -- since when the account could approve (docs/approvals.md); null: since created_at
      admin_since ${text},
      account_since ${text},
      vouched_at ${text},
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL
    )`

    yield* sql`CREATE TABLE sessions (
      id ${uuid} PRIMARY KEY,
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      token_hash ${text} NOT NULL UNIQUE,
      remember_me INTEGER NOT NULL,
      issued_at ${text} NOT NULL,
      last_seen_at ${text} NOT NULL,
      expires_at ${text} NOT NULL,
      revoked_at ${text},
      ip_at_issue TEXT NOT NULL,
      user_agent_at_issue TEXT,
      -- null: the second factor is pending, if the user has one
      factor_at ${text},
      -- when password and factor were last given, which a step-up asks for
      proven_at ${text},
      -- the sign-in at the provider that the session comes from, by which the provider ends it (docs/oidc.md)
      oidc_issuer ${text},
      oidc_subject ${text},
      oidc_sid ${text}
    )`
    yield* sql`CREATE INDEX sessions_user ON sessions (user_id)`
    yield* sql`CREATE INDEX sessions_expires ON sessions (expires_at)`
    yield* sql`CREATE INDEX sessions_revoked ON sessions (revoked_at) WHERE revoked_at IS NOT NULL`
    // partial: sessions that a password opened have no entry
    yield* sql`CREATE INDEX sessions_oidc_subject ON sessions (oidc_subject) WHERE oidc_subject IS NOT NULL`
    yield* sql`CREATE INDEX sessions_oidc_sid ON sessions (oidc_sid) WHERE oidc_sid IS NOT NULL`

    // Addresses that an account signed in from, and browsers that it trusts. Wrong passwords from there count for that place
    // alone, so that guesses from elsewhere, which lock the account, do not lock its owner out.
    yield* sql`CREATE TABLE login_places (
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      place ${text} NOT NULL,
      seen_at ${text} NOT NULL,
      failed_logins INTEGER NOT NULL,
      locked_until ${text},
      PRIMARY KEY (user_id, place)
    )`
    yield* sql`CREATE INDEX login_places_seen ON login_places (seen_at)`

    yield* sql`CREATE TABLE trusted_devices (
      id ${uuid} PRIMARY KEY,
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      token_hash ${text} NOT NULL UNIQUE,
      label TEXT NOT NULL,
      created_at ${text} NOT NULL,
      last_seen_at ${text} NOT NULL,
      expires_at ${text} NOT NULL,
      revoked_at ${text}
    )`
    yield* sql`CREATE INDEX trusted_devices_user ON trusted_devices (user_id)`
    yield* sql`CREATE INDEX trusted_devices_expires ON trusted_devices (expires_at)`
    yield* sql`CREATE INDEX trusted_devices_revoked ON trusted_devices (revoked_at) WHERE revoked_at IS NOT NULL`

    yield* sql`CREATE TABLE mfa_recovery_codes (
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      code_hash ${text} NOT NULL,
      PRIMARY KEY (user_id, code_hash)
    )`

    // At most one row: without it the settings alone say who must have a second factor.
    yield* sql`CREATE TABLE mfa_policy (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      required_for_all INTEGER NOT NULL,
      updated_at ${text} NOT NULL
    )`

    yield* sql`CREATE TABLE oidc_identities (
      id ${uuid} PRIMARY KEY,
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      issuer ${text} NOT NULL,
      subject ${text} NOT NULL,
      email TEXT,
      created_at ${text} NOT NULL,
      last_used_at ${text},
      UNIQUE (issuer, subject)
    )`
    yield* sql`CREATE INDEX oidc_identities_user ON oidc_identities (user_id)`

    // Logout tokens that were used, so that none is used twice.
    yield* sql`CREATE TABLE oidc_logout_tokens (id ${text} PRIMARY KEY, expires_at ${text} NOT NULL)`
    yield* sql`CREATE INDEX oidc_logout_tokens_expires ON oidc_logout_tokens (expires_at)`

    // Addresses for which a link was requested, whether or not they have an account. Processed within seconds.
    yield* sql`CREATE TABLE password_reset_requests (
      id ${uuid} PRIMARY KEY, email_key ${text} NOT NULL, source_ip TEXT, created_at ${text} NOT NULL
    )`

    // A row is a link that works; using it deletes it.
    yield* sql`CREATE TABLE password_resets (
      id ${uuid} PRIMARY KEY,
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      token_hash ${text} NOT NULL UNIQUE,
      created_at ${text} NOT NULL,
      expires_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX password_resets_user ON password_resets (user_id, expires_at)`
    yield* sql`CREATE INDEX password_resets_expires ON password_resets (expires_at)`

    yield* sql`CREATE TABLE setup_tokens (
      id ${uuid} PRIMARY KEY, token_hash ${text} NOT NULL UNIQUE, created_at ${text} NOT NULL, expires_at ${text} NOT NULL
    )`

    yield* sql`CREATE TABLE setup_attempts (
      id ${uuid} PRIMARY KEY, source_ip ${text} NOT NULL, attempted_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX setup_attempts_at ON setup_attempts (attempted_at)`

    yield* sql`CREATE TABLE projects (
      id ${uuid} PRIMARY KEY,
      slug ${text} NOT NULL UNIQUE,
      name TEXT NOT NULL,
      description TEXT,
      environment TEXT NOT NULL,
      timezone TEXT NOT NULL,
      is_active INTEGER NOT NULL,
      default_scheduler_owner TEXT NOT NULL,
      allowed_schedulers TEXT,
      -- where the project may be used from, and which role sees arguments and results
      allowed_cidrs ${text},
      payload_role ${text} NOT NULL DEFAULT 'viewer',
      approvals TEXT,
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL
    )`

    yield* sql`CREATE TABLE memberships (
      id ${uuid} PRIMARY KEY,
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      role TEXT NOT NULL,
      given_by_groups INTEGER NOT NULL DEFAULT 0,
      -- null: since created_at
      role_since ${text},
      created_at ${text} NOT NULL,
      UNIQUE (user_id, project_id)
    )`
    yield* sql`CREATE INDEX memberships_project ON memberships (project_id)`

    yield* sql`CREATE TABLE invitations (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      email TEXT NOT NULL,
      email_key ${text} NOT NULL,
      role TEXT NOT NULL,
      token_hash ${text} NOT NULL UNIQUE,
      invited_by ${uuid} REFERENCES users (id) ON DELETE CASCADE,
      created_at ${text} NOT NULL,
      expires_at ${text} NOT NULL,
      accepted_at ${text},
      revoked_at ${text}
    )`
    yield* sql`CREATE INDEX invitations_project ON invitations (project_id, id)`
    yield* sql`CREATE INDEX invitations_inviter ON invitations (invited_by)`
    yield* sql`CREATE INDEX invitations_email ON invitations (email_key, created_at)`
    yield* sql`CREATE INDEX invitations_expires ON invitations (expires_at)`
    yield* sql`CREATE UNIQUE INDEX invitations_open ON invitations (project_id, email_key)
      WHERE accepted_at IS NULL AND revoked_at IS NULL`

    yield* sql`CREATE TABLE api_keys (
      id ${uuid} PRIMARY KEY,
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      prefix TEXT NOT NULL,
      token_hash ${text} NOT NULL UNIQUE,
      scopes TEXT NOT NULL,
      project_id ${uuid} REFERENCES projects (id) ON DELETE CASCADE,
      allowed_cidrs TEXT,
      last_used_at ${text},
      last_used_ip TEXT,
      expires_at ${text},
      revoked_at ${text},
      revoked_reason TEXT,
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX api_keys_user ON api_keys (user_id)`
    yield* sql`CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL`
    yield* sql`CREATE INDEX api_keys_expires ON api_keys (expires_at) WHERE expires_at IS NOT NULL`
    yield* sql`CREATE INDEX api_keys_project ON api_keys (project_id) WHERE project_id IS NOT NULL`

    // Deleted projects whose tasks and commands are still being removed, slice by slice.
    yield* sql`CREATE TABLE project_deletions (
      project_id ${uuid} PRIMARY KEY, created_at ${text} NOT NULL
    )`
  })
}
