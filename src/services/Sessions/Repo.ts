import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { Unauthenticated } from "../../domain/Errors.ts"
import { Session } from "../../domain/Session.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import { Reader } from "../Database.ts"
import { forUpdate } from "../Dialect.ts"

/** 401 of a session that ended while its request was at work. */
export const sessionEnded = new Unauthenticated({ detail: "This session has ended. Sign in again." })

const Row = Schema.Struct(Session.fields).omit("is_current")
const decodeRows = Schema.decodeUnknownSync(Schema.Array(Row))

export interface NewSession {
  readonly id: string
  readonly user_id: string
  readonly token_hash: string
  readonly remember_me: number
  readonly issued_at: string
  readonly last_seen_at: string
  readonly expires_at: string
  readonly ip_at_issue: string
  readonly user_agent_at_issue: string | null
  /** When the second factor was given, or a trusted browser stood for it; null: not in this session. */
  readonly factor_at: string | null
  /** When all that the account asks for was last given: password, and the factor where there is one. */
  readonly proven_at: string | null
}

export class SessionsRepo extends Effect.Service<SessionsRepo>()("svc/SessionsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(Row.fields).join(", "))

    return {
      insert: (session: NewSession) => sql`INSERT INTO sessions ${sql.insert({ ...session })}`,
      /** The newest 500 sessions of a user that still work, newest first; idle ones by `idleSince`. */
      listActive: (userId: string, now: string, idleSince: string) =>
        Effect.map(
          read`SELECT ${columns} FROM sessions
            WHERE user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now}
              AND (remember_me = 1 OR last_seen_at > ${idleSince})
            ORDER BY id DESC LIMIT 500`,
          (rows) => decodeRows(rows)
        ),
      /**
       * Within a transaction: whether the session still stands. Its user is locked until then, as by whatever ends all their
       * sessions, so that both take turns.
       */
      isActiveForUpdate: (userId: string, id: string, now: string) =>
        Effect.zipRight(
          sql`SELECT 1 FROM users WHERE id = ${userId} ${forUpdate(sql)}`,
          Effect.map(
            sql`SELECT 1 FROM sessions WHERE id = ${id} AND revoked_at IS NULL AND expires_at > ${now}`,
            (rows) => rows.length > 0
          )
        ),
      /** Another token for a session that has not ended; when it ends, or none. */
      setToken: (id: string, tokenHash: string, now: string) =>
        Effect.map(
          sql<{ expires_at: Timestamp }>`UPDATE sessions SET token_hash = ${tokenHash}
            WHERE id = ${id} AND revoked_at IS NULL AND expires_at > ${now} RETURNING expires_at`,
          (rows) => Option.map(Option.fromNullable(rows[0]), (row) => row.expires_at)
        ),
      /** The session has given all that the account asks for. */
      setProven: (id: string, now: string) =>
        sql`UPDATE sessions SET factor_at = ${now}, proven_at = ${now} WHERE id = ${id}`,
      /** Every session of the user but `kept` owes the second factor, old ones too. */
      clearFactors: (userId: string, kept: string) =>
        sql`UPDATE sessions SET factor_at = NULL, proven_at = NULL WHERE user_id = ${userId} AND id <> ${kept}`,
      /** Ends the sessions that never gave the second factor: with the password alone they must not become whole. */
      revokePendingFactor: (userId: string, now: string) =>
        sql`UPDATE sessions SET revoked_at = ${now} WHERE user_id = ${userId} AND revoked_at IS NULL AND factor_at IS NULL`,
      /** Ends a session and tells what it was, unless it had been ended before. */
      revokeReturning: (id: string, now: string) =>
        Effect.map(
          sql<{ remember_me: number; factor_at: string | null }>`UPDATE sessions SET revoked_at = ${now}
            WHERE id = ${id} AND revoked_at IS NULL RETURNING remember_me, factor_at`,
          (rows) =>
            Option.map(Option.fromNullable(rows[0]), ({ factor_at, remember_me }) => ({
              remember: remember_me === 1,
              factor: factor_at !== null
            }))
        ),
      exists: (userId: string, id: string) =>
        Effect.map(
          read`SELECT 1 FROM sessions WHERE id = ${id} AND user_id = ${userId}`,
          (rows) => rows.length > 0
        ),
      /** Ends one session of the user; whether it had not been ended before. */
      revoke: (userId: string, id: string, now: string) =>
        Effect.map(
          sql`UPDATE sessions SET revoked_at = ${now} WHERE id = ${id} AND user_id = ${userId} AND revoked_at IS NULL
            RETURNING id`,
          (rows) => rows.length > 0
        ),
      /** Ends the session with this token, if it had not been ended before; which and whose it was. */
      revokeToken: (tokenHash: string, now: string) =>
        Effect.map(
          sql<{ id: string; user_id: string }>`UPDATE sessions SET revoked_at = ${now}
            WHERE token_hash = ${tokenHash} AND revoked_at IS NULL RETURNING id, user_id`,
          (rows) => rows[0] ?? null
        ),
      /** Ends every session of the user but `kept`; how many. */
      revokeAll: (userId: string, now: string, kept: string | null) =>
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
