import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { Id, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { skipLocked } from "../../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, hasRows } from "../../kernel/sql/Rows.ts"

export const ResetRequest = Schema.Struct({
  id: Id,
  email_key: Schema.String,
  source_ip: Schema.NullOr(Schema.String),
  created_at: Timestamp
})
export type ResetRequest = typeof ResetRequest.Type

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
      hasRequests: hasRows(read`SELECT 1 FROM password_reset_requests LIMIT 1`),
      /** Takes the oldest request; the caller's commit deletes it. */
      consumeRequest: firstRowOf(ResetRequest)(
        sql`DELETE FROM password_reset_requests
          WHERE id = (SELECT id FROM password_reset_requests ORDER BY id LIMIT 1 ${skipLocked(sql)})
          RETURNING id, email_key, source_ip, created_at`
      ),
      insert: (reset: NewReset) => sql`INSERT INTO password_resets ${sql.insert({ ...reset })}`,
      /** The number of the user's valid links, in the caller's transaction. */
      countByUser: (userId: UserId, now: string) =>
        countOf(sql`SELECT count(*) AS n FROM password_resets WHERE user_id = ${userId} AND expires_at > ${now}`),
      deleteByUser: (userId: UserId) => sql`DELETE FROM password_resets WHERE user_id = ${userId}`,
      findUserId: (tokenHash: string, now: string) =>
        Effect.map(
          firstRowOf(Schema.Struct({ user_id: UserId }))(
            read`SELECT user_id FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > ${now}`
          ),
          Option.map((row) => row.user_id)
        ),
      /** Consumes the link; false when there was no valid one. */
      consume: (tokenHash: string, now: string) =>
        hasRows(sql`DELETE FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > ${now} RETURNING id`)
    } as const
  })
}) {
  static readonly layer = this.Default
}
