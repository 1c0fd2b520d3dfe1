import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ApiKey } from "../../../domain/identity/ApiKey.ts"
import type { ApiKeyId, UserId } from "../../../domain/kernel/Id.ts"
import { JsonColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { firstRowOf, hasRows, rowsOf } from "../../kernel/sql/Rows.ts"

const Row = Schema.Struct({
  ...ApiKey.fields,
  scopes: JsonColumn(ApiKey.fields.scopes.from),
  allowed_cidrs: Schema.NullOr(JsonColumn(Schema.Array(Schema.String)))
})
const allRows = rowsOf(Row)
const firstRow = firstRowOf(Row)
const encode = Schema.encodeSync(Row)

export const makeApiKeysRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader
  const columnNames = Object.keys(Row.fields).filter((field) => field !== "project_slug").map((field) => `k.${field}`)
  const columns = sql.literal([...columnNames, "p.slug AS project_slug"].join(", "))

  return {
    /** Every key of the user, revoked and expired ones too, newest first. */
    list: (userId: UserId) =>
      allRows(read`SELECT ${columns} FROM api_keys k LEFT JOIN projects p ON p.id = k.project_id
          WHERE k.user_id = ${userId} ORDER BY k.id DESC`),
    /** Runs in the caller's transaction, if there is one. */
    findById: (userId: UserId, id: ApiKeyId) =>
      firstRow(sql`SELECT ${columns} FROM api_keys k LEFT JOIN projects p ON p.id = k.project_id
          WHERE k.user_id = ${userId} AND k.id = ${id}`),
    insert: (key: ApiKey, user_id: UserId, token_hash: string) => {
      const { project_slug: _, ...row } = encode(key)
      return sql`INSERT INTO api_keys ${sql.insert({ ...row, user_id, token_hash })}`
    },
    setAllowedCidrs: (id: ApiKeyId, ranges: ReadonlyArray<string> | null) =>
      sql`UPDATE api_keys SET allowed_cidrs = ${ranges === null ? null : JSON.stringify(ranges)} WHERE id = ${id}`,
    /** False when the key was revoked before. */
    revoke: (id: ApiKeyId, now: string, reason: string) =>
      hasRows(
        sql`UPDATE api_keys SET revoked_at = ${now}, revoked_reason = ${reason} WHERE id = ${id} AND revoked_at IS NULL RETURNING id`
      )
  } as const
})
