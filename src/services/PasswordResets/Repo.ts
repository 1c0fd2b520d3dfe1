import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { UserId } from "../../domain/Id.ts"
import { Reader } from "../Database.ts"
import { skipLocked } from "../Dialect.ts"

export interface ResetRequest {
  readonly id: string
  readonly email_key: string
  readonly source_ip: string | null
  readonly created_at: string
}

export interface NewReset {
  readonly id: string
  readonly user_id: UserId
  readonly token_hash: string
  readonly created_at: string
  readonly expires_at: string
}

/** `UsersRepo.setPassword` deletes a user's links as well. */
export class PasswordResetsRepo extends Effect.Service<PasswordResetsRepo>()("svc/PasswordResetsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader

    return {
      insertRequest: (request: ResetRequest) => sql`INSERT INTO password_reset_requests ${sql.insert({ ...request })}`,
      hasRequests: Effect.map(read`SELECT 1 FROM password_reset_requests LIMIT 1`, (rows) => rows.length > 0),
      /** Takes the oldest request; the caller's commit deletes it. */
      consumeRequest: Effect.map(
        sql<ResetRequest>`DELETE FROM password_reset_requests
          WHERE id = (SELECT id FROM password_reset_requests ORDER BY id LIMIT 1 ${skipLocked(sql)})
          RETURNING id, email_key, source_ip, created_at`,
        (rows) => Option.fromNullable(rows[0])
      ),
      insert: (reset: NewReset) => sql`INSERT INTO password_resets ${sql.insert({ ...reset })}`,
      /** The number of the user's valid links, in the caller's transaction. */
      countByUser: (userId: UserId, now: string) =>
        Effect.map(
          sql<
            { n: number }
          >`SELECT count(*) AS n FROM password_resets WHERE user_id = ${userId} AND expires_at > ${now}`,
          (rows) => rows[0]?.n ?? 0
        ),
      deleteByUser: (userId: UserId) => sql`DELETE FROM password_resets WHERE user_id = ${userId}`,
      findUserId: (tokenHash: string, now: string) =>
        Effect.map(
          read<
            { user_id: UserId }
          >`SELECT user_id FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > ${now}`,
          (rows) => Option.map(Option.fromNullable(rows[0]), (row) => row.user_id)
        ),
      /** Consumes the link; false when there was no valid one. */
      consume: (tokenHash: string, now: string) =>
        Effect.map(
          sql`DELETE FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > ${now} RETURNING id`,
          (rows) => rows.length > 0
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
