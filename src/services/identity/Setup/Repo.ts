import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { Reader } from "../../kernel/sql/Database.ts"
import { lockTable } from "../../kernel/sql/Dialect.ts"
import { countOf, hasRows } from "../../kernel/sql/Rows.ts"

export interface NewSetupToken {
  readonly id: string
  readonly token_hash: string
  readonly created_at: string
  readonly expires_at: string
}

export const makeSetupRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader

  return {
    hasUsers: hasRows(read`SELECT 1 FROM users LIMIT 1`),
    insertToken: (token: NewSetupToken) => sql`INSERT INTO setup_tokens ${sql.insert({ ...token })}`,
    deleteExpiredTokens: (now: string) => sql`DELETE FROM setup_tokens WHERE expires_at <= ${now}`,
    /** Returns how many. */
    deleteTokens: Effect.map(sql`DELETE FROM setup_tokens RETURNING id`, (rows) => rows.length),
    /** Runs in the caller's transaction, if there is one. */
    isTokenValid: (tokenHash: string, now: string) =>
      hasRows(sql`SELECT 1 FROM setup_tokens WHERE token_hash = ${tokenHash} AND expires_at > ${now}`),
    /** Serializes the counting of attempts until the transaction ends. */
    lockAttempts: lockTable(sql, "setup_attempts"),
    deleteAttemptsUntil: (until: string) => sql`DELETE FROM setup_attempts WHERE attempted_at <= ${until}`,
    countAttempts: countOf(sql`SELECT count(*) AS n FROM setup_attempts`),
    countAttemptsFrom: (ip: string) => countOf(sql`SELECT count(*) AS n FROM setup_attempts WHERE source_ip = ${ip}`),
    insertAttempt: (attempt: { readonly id: string; readonly source_ip: string; readonly attempted_at: string }) =>
      sql`INSERT INTO setup_attempts ${sql.insert({ ...attempt })}`
  } as const
})
