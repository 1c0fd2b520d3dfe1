import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { OidcIdentity } from "../../../domain/identity/Oidc.ts"
import { type OidcIdentityId, UserId } from "../../../domain/kernel/Id.ts"
import { firstRowOf, hasRows, rowsOf } from "../../kernel/sql/Rows.ts"

const Row = Schema.Struct({ ...OidcIdentity.fields, user_id: UserId })
export type OidcIdentityRow = typeof Row.Type

const allRows = rowsOf(Row)
const firstRow = firstRowOf(Row)

/** Accounts of the provider by issuer and subject, which a provider never gives to another person (OIDC Core, 8). */
export const makeOidcIdentitiesRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(Object.keys(Row.fields).join(", "))
  return {
    insert: (row: OidcIdentityRow) => sql`INSERT INTO oidc_identities ${sql.insert(Schema.encodeSync(Row)(row))}`,
    find: (issuer: string, subject: string) =>
      firstRow(sql`SELECT ${columns} FROM oidc_identities WHERE issuer = ${issuer} AND subject = ${subject}`),
    listOf: (userId: UserId) =>
      allRows(sql`SELECT ${columns} FROM oidc_identities WHERE user_id = ${userId} ORDER BY id`),
    markUsed: (id: OidcIdentityId, email: string | null, now: string) =>
      sql`UPDATE oidc_identities SET last_used_at = ${now}, email = coalesce(${email}, email) WHERE id = ${id}`,
    /** False when there was none. */
    delete: (userId: UserId, id: OidcIdentityId) =>
      hasRows(sql`DELETE FROM oidc_identities WHERE id = ${id} AND user_id = ${userId} RETURNING id`),
    /** Whether the user can sign in without one: by a password, or by another link. Locks the user. */
    hasOtherSignIn: (userId: UserId, id: OidcIdentityId) =>
      Effect.map(
        firstRowOf(Schema.Struct({ other: Schema.Number }))(sql`
          SELECT CASE WHEN u.password_hash <> '' OR EXISTS (
              SELECT 1 FROM oidc_identities WHERE user_id = u.id AND id <> ${id}) THEN 1 ELSE 0 END AS other
          FROM users u WHERE u.id = ${userId}`),
        Option.exists(({ other }) => other === 1)
      )
  } as const
})
