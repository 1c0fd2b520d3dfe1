import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { hasRows } from "../Rows.ts"

/** Logout tokens that were used, until they expire. */
export class LogoutTokensRepo extends Effect.Service<LogoutTokensRepo>()("svc/oidc/LogoutTokensRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** False when the token was used before. On PostgreSQL it waits for another transaction that uses the token. */
    insert: (token: { readonly id: string; readonly expires_at: string }) =>
      hasRows(sql`INSERT INTO oidc_logout_tokens ${sql.insert(token)} ON CONFLICT (id) DO NOTHING RETURNING id`)
  } as const))
}) {
  static readonly layer = this.Default
}
