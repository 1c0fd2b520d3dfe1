import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { Reader } from "../Database.ts"
import { lockTable } from "../Dialect.ts"

export interface NewSetupToken {
  readonly id: string
  readonly token_hash: string
  readonly created_at: string
  readonly expires_at: string
}

export class SetupRepo extends Effect.Service<SetupRepo>()("svc/SetupRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader

    const countOf = (rows: ReadonlyArray<{ readonly n: number }>) => rows[0]?.n ?? 0

    return {
      hasUsers: Effect.map(read`SELECT 1 FROM users LIMIT 1`, (rows) => rows.length > 0),
      insertToken: (token: NewSetupToken) => sql`INSERT INTO setup_tokens ${sql.insert({ ...token })}`,
      deleteExpiredTokens: (now: string) => sql`DELETE FROM setup_tokens WHERE expires_at <= ${now}`,
      /** Answers how many. */
      deleteTokens: Effect.map(sql`DELETE FROM setup_tokens RETURNING id`, (rows) => rows.length),
      /** Runs in the caller's transaction, if there is one. */
      isTokenValid: (tokenHash: string, now: string) =>
        Effect.map(
          sql`SELECT 1 FROM setup_tokens WHERE token_hash = ${tokenHash} AND expires_at > ${now}`,
          (rows) => rows.length > 0
        ),
      /** Serializes the counting of attempts until the transaction ends. */
      lockAttempts: lockTable(sql, "setup_attempts"),
      deleteAttemptsUntil: (until: string) => sql`DELETE FROM setup_attempts WHERE attempted_at <= ${until}`,
      countAttempts: Effect.map(sql<{ n: number }>`SELECT count(*) AS n FROM setup_attempts`, countOf),
      countAttemptsFrom: (ip: string) =>
        Effect.map(sql<{ n: number }>`SELECT count(*) AS n FROM setup_attempts WHERE source_ip = ${ip}`, countOf),
      insertAttempt: (attempt: { readonly id: string; readonly source_ip: string; readonly attempted_at: string }) =>
        sql`INSERT INTO setup_attempts ${sql.insert({ ...attempt })}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
