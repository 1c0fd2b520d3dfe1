import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import type { ProviderSignIn } from "../../domain/identity/Oidc.ts"
import { Session } from "../../domain/identity/Session.ts"
import { Unauthenticated } from "../../domain/kernel/Errors.ts"
import { SessionId, UserId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate } from "../kernel/sql/Dialect.ts"
import { firstRowOf, hasRows, rowsOf } from "../kernel/sql/Rows.ts"

/** 401 for a session that ended while its request was processed. */
export const sessionEnded = new Unauthenticated({ detail: "This session has ended. Sign in again." })

const Row = Schema.Struct(Session.fields).omit("is_current")
const allRows = rowsOf(Row)

export interface NewSession {
  readonly id: SessionId
  readonly user_id: UserId
  readonly token_hash: string
  readonly remember_me: number
  readonly issued_at: string
  readonly last_seen_at: string
  readonly expires_at: string
  readonly ip_at_issue: string
  readonly user_agent_at_issue: string | null
  /** When the second factor was given, or replaced by a trusted browser; null: not in this session. */
  readonly factor_at: string | null
  /** When the user last gave all that the account requires: the password, and the factor where there is one. */
  readonly proven_at: string | null
  /** The sign-in at the provider that the session comes from; null: a password. */
  readonly oidc_issuer: string | null
  readonly oidc_subject: string | null
  readonly oidc_sid: string | null
}

/** The columns of a session that say where it comes from. */
export const providerColumns = (
  signIn: ProviderSignIn | null
): Pick<NewSession, "oidc_issuer" | "oidc_sid" | "oidc_subject"> => ({
  oidc_issuer: signIn?.issuer ?? null,
  oidc_subject: signIn?.subject ?? null,
  oidc_sid: signIn?.sid ?? null
})

const FormerSession = Schema.Struct({
  remember_me: BooleanColumn,
  factor_at: Schema.NullOr(Timestamp),
  oidc_issuer: Schema.NullOr(Schema.String),
  oidc_subject: Schema.NullOr(Schema.String),
  oidc_sid: Schema.NullOr(Schema.String)
})

const providerOf = (
  { oidc_issuer: issuer, oidc_sid: sid, oidc_subject: subject }: typeof FormerSession.Type
): ProviderSignIn | null => (issuer === null || subject === null ? null : { issuer, subject, sid })

/** What a provider says has ended. `sid` or `subject` is given, or both. */
export interface EndedSignIns {
  readonly issuer: string
  readonly subject: string | null
  readonly sid: string | null
}

export class SessionsRepo extends Effect.Service<SessionsRepo>()("svc/SessionsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(Row.fields).join(", "))

    return {
      insert: (session: NewSession) => sql`INSERT INTO sessions ${sql.insert({ ...session })}`,
      /** The newest 500 active sessions of a user, newest first; those unused since `idleSince` are left out. */
      listActive: (userId: UserId, now: string, idleSince: string) =>
        allRows(
          read`SELECT ${columns} FROM sessions
            WHERE user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now}
              AND (remember_me = 1 OR last_seen_at > ${idleSince})
            ORDER BY id DESC LIMIT 500`
        ),
      /**
       * Whether the session is active. Locks its user until the transaction ends, as every revocation of all their
       * sessions does, so the two are serialized.
       */
      isActiveForUpdate: (userId: UserId, id: SessionId, now: string) =>
        Effect.zipRight(
          sql`SELECT 1 FROM users WHERE id = ${userId} ${forUpdate(sql)}`,
          hasRows(sql`SELECT 1 FROM sessions WHERE id = ${id} AND revoked_at IS NULL AND expires_at > ${now}`)
        ),
      /** Replaces the token of an active session; returns when the session expires, or none. */
      setToken: (id: SessionId, tokenHash: string, now: string) =>
        Effect.map(
          firstRowOf(Schema.Struct({ expires_at: Timestamp }))(
            sql`UPDATE sessions SET token_hash = ${tokenHash}
              WHERE id = ${id} AND revoked_at IS NULL AND expires_at > ${now} RETURNING expires_at`
          ),
          Option.map((row) => row.expires_at)
        ),
      /** Marks the session as fully authenticated. */
      setProven: (id: SessionId, now: string) =>
        sql`UPDATE sessions SET factor_at = ${now}, proven_at = ${now} WHERE id = ${id}`,
      /** Restricts every session of the user but `kept` until it gives the second factor. */
      clearFactors: (userId: UserId, kept: string) =>
        sql`UPDATE sessions SET factor_at = NULL, proven_at = NULL WHERE user_id = ${userId} AND id <> ${kept}`,
      /** Revokes the sessions that never gave the second factor: the password alone must not make them unrestricted. */
      revokePendingFactor: (userId: UserId, now: string) =>
        sql`UPDATE sessions SET revoked_at = ${now} WHERE user_id = ${userId} AND revoked_at IS NULL AND factor_at IS NULL`,
      /** Revokes a session and returns its state; none when it was revoked before. */
      revokeReturning: (id: SessionId, now: string) =>
        Effect.map(
          firstRowOf(FormerSession)(
            sql`UPDATE sessions SET revoked_at = ${now} WHERE id = ${id} AND revoked_at IS NULL
              RETURNING remember_me, factor_at, oidc_issuer, oidc_subject, oidc_sid`
          ),
          Option.map((row) => ({
            remember: row.remember_me,
            factor: row.factor_at !== null,
            provider: providerOf(row)
          }))
        ),
      exists: (userId: UserId, id: SessionId) =>
        hasRows(read`SELECT 1 FROM sessions WHERE id = ${id} AND user_id = ${userId}`),
      /** Revokes one session of the user; false when it was revoked before. */
      revoke: (userId: UserId, id: SessionId, now: string) =>
        hasRows(
          sql`UPDATE sessions SET revoked_at = ${now} WHERE id = ${id} AND user_id = ${userId} AND revoked_at IS NULL
            RETURNING id`
        ),
      /** Revokes the session with this token and returns its id and user, unless it was revoked before. */
      revokeToken: (tokenHash: string, now: string) =>
        Effect.map(
          firstRowOf(Schema.Struct({ id: SessionId, user_id: UserId }))(
            sql`UPDATE sessions SET revoked_at = ${now}
              WHERE token_hash = ${tokenHash} AND revoked_at IS NULL RETURNING id, user_id`
          ),
          Option.getOrNull
        ),
      /**
       * Revokes the active sessions that come from these sign-ins at the provider, of one sid or else of all, and of one
       * subject or else of any; returns the user of each.
       */
      revokeOfProvider: ({ issuer, sid, subject }: EndedSignIns, now: string) => {
        const condition = sql.and([
          sql`oidc_issuer = ${issuer} AND revoked_at IS NULL AND expires_at > ${now}`,
          ...(sid === null ? [] : [sql`oidc_sid = ${sid}`]),
          ...(subject === null ? [] : [sql`oidc_subject = ${subject}`])
        ])
        // a change of the password locks its user first, and replaces the session by another one of the same sign-in
        const lockUsers = sql`SELECT 1 FROM users WHERE id IN (SELECT user_id FROM sessions WHERE ${condition})
          ORDER BY id ${forUpdate(sql)}`
        const revoke = rowsOf(Schema.Struct({ user_id: UserId }))(
          sql`UPDATE sessions SET revoked_at = ${now} WHERE ${condition} RETURNING user_id`
        )
        return Effect.map(Effect.zipRight(lockUsers, revoke), (rows) => rows.map(({ user_id }) => user_id))
      },
      /** Revokes every session of the user but `kept`; returns how many. */
      revokeAll: (userId: UserId, now: string, kept: string | null) =>
        Effect.map(
          kept === null
            ? sql`UPDATE sessions SET revoked_at = ${now} WHERE user_id = ${userId} AND revoked_at IS NULL RETURNING id`
            : sql`UPDATE sessions SET revoked_at = ${now} WHERE user_id = ${userId} AND revoked_at IS NULL AND id <> ${kept}
                RETURNING id`,
          (rows) => rows.length
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
