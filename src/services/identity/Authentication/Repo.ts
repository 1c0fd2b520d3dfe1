import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ApiKeyId, ProjectId, SessionId, UserId } from "../../../domain/kernel/Id.ts"
import type * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { jsonFunctionsOf } from "../../kernel/sql/Dialect.ts"
import { PreparedReads } from "../../kernel/sql/PreparedReads.ts"
import { joinedProjectSql } from "../Projects/Repo.ts"

export interface UserRow {
  readonly user_id: UserId
  readonly email: string
  readonly is_admin: number
  /** JSON object: role by project id; null without a membership. */
  readonly roles: string | null
  /**
   * JSON object: `allowed_cidrs` by the id of each project that has a list; null: none. Only projects that the user is
   * a member of, or any for a global admin, and that the credential reaches.
   */
  readonly ranges: string | null
  /** JSON of the project with the slug. */
  readonly project: string | null
}

export interface KeyRow extends UserRow {
  readonly id: ApiKeyId
  readonly scopes: string
  readonly project_id: ProjectId | null
  readonly allowed_cidrs: string | null
  readonly last_used_at: Timestamp.Timestamp | null
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly is_active: number
}

export interface SessionRow extends UserRow {
  readonly id: SessionId
  readonly factor_at: string | null
  readonly proven_at: Timestamp.Timestamp | null
  readonly mfa_enrolled_at: string | null
  readonly mfa_enforcement_started_at: Timestamp.Timestamp | null
  /** The stored policy (`MfaPolicy`). */
  readonly required_for_all: number
  readonly remember_me: number
  readonly last_seen_at: Timestamp.Timestamp
  readonly expires_at: string
}

/** A credential by the hash of its token, with its user and the project of a slug, as the driver returns them. */
export const makeCredentialsRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const prepare = yield* PreparedReads
  const { groupObject } = jsonFunctionsOf(sql)
  /** `reaches`: a condition on the projects `l` that the credential reaches. */
  const userColumnsOf = (reaches: string) =>
    `u.id AS user_id, u.email, u.is_admin,
      (SELECT CAST(${groupObject}(m.project_id, m.role) AS TEXT) FROM memberships m
        WHERE m.user_id = u.id) AS roles,
      CASE WHEN u.is_admin = 1
        THEN (SELECT CAST(${groupObject}(l.id, l.allowed_cidrs) AS TEXT) FROM projects l
          WHERE l.allowed_cidrs IS NOT NULL AND ${reaches})
        ELSE (SELECT CAST(${groupObject}(l.id, l.allowed_cidrs) AS TEXT)
          FROM memberships m JOIN projects l ON l.id = m.project_id
          WHERE m.user_id = u.id AND l.allowed_cidrs IS NOT NULL AND ${reaches}) END AS ranges,
      ${joinedProjectSql(sql)} AS project`
  const selectKey = prepare.rows<KeyRow>(`
    SELECT k.id, k.scopes, k.project_id, k.allowed_cidrs, k.last_used_at, k.expires_at, k.revoked_at, u.is_active,
      ${userColumnsOf("(k.project_id IS NULL OR l.id = k.project_id)")}
    FROM api_keys k JOIN users u ON u.id = k.user_id LEFT JOIN projects p ON p.slug = ?
    WHERE k.token_hash = ?`)
  const selectSession = prepare.rows<SessionRow>(`
    SELECT s.id, s.remember_me, s.last_seen_at, s.expires_at, s.factor_at, s.proven_at,
      u.mfa_enrolled_at, u.mfa_enforcement_started_at,
      COALESCE((SELECT required_for_all FROM mfa_policy), 0) AS required_for_all, ${userColumnsOf("TRUE")}
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN projects p ON p.slug = ?
    WHERE s.token_hash = ? AND s.revoked_at IS NULL AND u.is_active = 1`)

  /** Once for several uses since `before`. */
  const markKeyUsed = (id: ApiKeyId, ip: string | null, now: Timestamp.Timestamp, before: Timestamp.Timestamp) =>
    sql`UPDATE api_keys SET last_used_at = ${now}, last_used_ip = ${ip}
      WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at <= ${before})`

  const markSessionUsed = (id: SessionId, now: Timestamp.Timestamp, before: Timestamp.Timestamp) =>
    sql`UPDATE sessions SET last_seen_at = ${now} WHERE id = ${id} AND last_seen_at <= ${before}`

  return { selectKey, selectSession, markKeyUsed, markSessionUsed } as const
})
