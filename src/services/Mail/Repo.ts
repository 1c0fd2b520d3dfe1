import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { Reader } from "../Database.ts"
import { skipLocked } from "../Dialect.ts"

export interface NewMail {
  readonly id: string
  readonly sealed: string
  readonly due_at: string
  readonly created_at: string
  readonly expires_at: string
}

export interface ClaimedMail {
  readonly id: string
  readonly sealed: string
  /** This one counted. */
  readonly attempts: number
  readonly expires_at: string
}

export class MailRepo extends Effect.Service<MailRepo>()("svc/MailRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader

    return {
      insert: (mail: NewMail) => sql`INSERT INTO mail_outbox ${sql.insert({ ...mail })}`,
      /** A plain read: most looks find nothing, and should not keep the writer busy. */
      hasDue: (now: string) => Effect.map(read`SELECT 1 FROM mail_outbox WHERE due_at <= ${now} LIMIT 1`, (rows) => rows.length > 0),
      /** Takes the mail that is due longest, for this process alone until `until`. */
      claim: (now: string, until: string) =>
        Effect.map(
          sql<ClaimedMail>`UPDATE mail_outbox SET attempts = attempts + 1, due_at = ${until}
            WHERE id = (SELECT id FROM mail_outbox WHERE due_at <= ${now} ORDER BY due_at LIMIT 1 ${skipLocked(sql)})
            RETURNING id, sealed, attempts, expires_at`,
          (rows) => Option.fromNullable(rows[0])
        ),
      postpone: (id: string, due_at: string, last_error: string) =>
        sql`UPDATE mail_outbox SET due_at = ${due_at}, last_error = ${last_error} WHERE id = ${id}`,
      delete: (id: string) => sql`DELETE FROM mail_outbox WHERE id = ${id}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
