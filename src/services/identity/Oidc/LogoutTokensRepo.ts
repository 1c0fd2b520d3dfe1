import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProviderSignIn } from "../../../domain/identity/Oidc.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../kernel/Ids.ts"
import { lockName } from "../../kernel/sql/Dialect.ts"
import { hasRows } from "../../kernel/sql/Rows.ts"
import type { EndedSignIns } from "../SessionsRepo.ts"
import type { LogoutToken } from "./LogoutToken.ts"

/** Longer than the time between the provider's ID token and its session here: two calls to the provider, of 10 s each. */
const endRetentionSeconds = 600

/** A hash, because a provider chooses the length of `jti`; an issuer is a URL, which has no space. */
const idOfToken = ({ issuer, jti }: LogoutToken) => Ids.hashSecret(`${issuer} ${jti}`)

const idOfEnd = ({ issuer, sid, subject }: EndedSignIns) => Ids.hashSecret(JSON.stringify([issuer, sid, subject]))

const expiryOfEnd = (issuedAt: Timestamp.Timestamp) => Timestamp.addSeconds(issuedAt, endRetentionSeconds)

/**
 * Logout tokens that were used, until they expire, and for ten minutes what each of them ended: a session that begins at
 * that moment is not among those that the token revokes.
 */
export class LogoutTokensRepo extends Effect.Service<LogoutTokensRepo>()("svc/oidc/LogoutTokensRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** False when the token was used before. On PostgreSQL it waits for another transaction that uses the token. */
    insert: (token: LogoutToken) =>
      hasRows(
        sql`INSERT INTO oidc_logout_tokens ${sql.insert({ id: idOfToken(token), expires_at: token.expires_at })}
          ON CONFLICT (id) DO NOTHING RETURNING id`
      ),
    /** Records what the token ended. The sessions are revoked after it, in the same transaction. */
    recordEnd: (token: LogoutToken) => {
      const row = { id: idOfEnd(token), expires_at: expiryOfEnd(token.issued_at) }
      return Effect.zipRight(
        lockName(sql, row.id),
        sql`INSERT INTO oidc_logout_tokens ${sql.insert(row)} ON CONFLICT (id) DO UPDATE
          SET expires_at = excluded.expires_at WHERE excluded.expires_at > oidc_logout_tokens.expires_at`
      )
    },
    /**
     * Whether the provider ended the sign-in: its `sid` at any time, or all sign-ins of its subject after it issued the ID
     * token. A token that ends it waits until the caller's transaction has ended, and then finds its session. Locks no
     * row, so it comes before every lock of a user.
     */
    hasEnded: (signIn: ProviderSignIn, issuedAt: Timestamp.Timestamp) => {
      const ofSubject = idOfEnd({ ...signIn, sid: null })
      const ofSid = signIn.sid === null ? [] : [idOfEnd(signIn), idOfEnd({ ...signIn, subject: null })]
      return Effect.zipRight(
        // sorted, so that two sign-ins of one person do not wait for each other
        Effect.forEach([ofSubject, ...ofSid].sort(), (id) => lockName(sql, id), { discard: true }),
        hasRows(
          sql`SELECT 1 FROM oidc_logout_tokens
            WHERE ${sql.in("id", ofSid)} OR (id = ${ofSubject} AND expires_at >= ${expiryOfEnd(issuedAt)})`
        )
      )
    }
  } as const))
}) {
  static readonly layer = this.Default
}
