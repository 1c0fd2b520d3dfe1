import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { TrustedDevice } from "../../domain/identity/Mfa.ts"
import type { TrustedDeviceId, UserId } from "../../domain/kernel/Id.ts"
import * as Ids from "../kernel/Ids.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { firstRowOf, hasRows, rowsOf } from "../kernel/sql/Rows.ts"

const Row = Schema.Struct({ ...TrustedDevice.fields, token_hash: Schema.String }).omit("is_current")
export type TrustedDeviceRow = typeof Row.Type
const allRows = rowsOf(Row)
const firstRow = firstRowOf(Row)

export class TrustedDevicesRepo extends Effect.Service<TrustedDevicesRepo>()("svc/TrustedDevicesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(Row.fields).join(", "))

    return {
      /** Newest first; includes revoked and expired ones until the retention deletes them. */
      list: (userId: UserId) =>
        allRows(read`SELECT ${columns} FROM trusted_devices WHERE user_id = ${userId} ORDER BY id DESC LIMIT 500`),
      insert: (device: TrustedDeviceRow & { readonly user_id: UserId }) =>
        sql`INSERT INTO trusted_devices ${sql.insert({ ...device })}`,
      /** Whether the token belongs to a browser that the user trusts; updates when it was last seen. */
      markSeen: (userId: UserId, token: string, now: string) =>
        hasRows(sql`UPDATE trusted_devices SET last_seen_at = ${now}
            WHERE token_hash = ${
          Ids.hashSecret(token)
        } AND user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now}
            RETURNING id`),
      /** The id of a browser that the user trusts; null: the token is of no such browser. */
      findTrusted: (userId: UserId, token: string, now: string) =>
        Effect.map(
          rowsOf(TrustedDevice.pick("id"))(read`SELECT id FROM trusted_devices
            WHERE token_hash = ${
            Ids.hashSecret(token)
          } AND user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now}`),
          ([row]) => row?.id ?? null
        ),
      rename: (userId: UserId, id: TrustedDeviceId, label: string) =>
        firstRow(
          sql`UPDATE trusted_devices SET label = ${label} WHERE id = ${id} AND user_id = ${userId} RETURNING ${columns}`
        ),
      exists: (userId: UserId, id: TrustedDeviceId) =>
        hasRows(read`SELECT 1 FROM trusted_devices WHERE id = ${id} AND user_id = ${userId}`),
      /** False when it was revoked before. */
      revoke: (userId: UserId, id: TrustedDeviceId, now: string) =>
        hasRows(
          sql`UPDATE trusted_devices SET revoked_at = ${now} WHERE id = ${id} AND user_id = ${userId} AND revoked_at IS NULL
            RETURNING id`
        ),
      /** Issues a new token and revokes the old one. */
      revokeToken: (userId: UserId, token: string, now: string) =>
        sql`UPDATE trusted_devices SET revoked_at = ${now}
          WHERE token_hash = ${Ids.hashSecret(token)} AND user_id = ${userId} AND revoked_at IS NULL`,
      revokeAll: (userId: UserId, now: string) =>
        sql`UPDATE trusted_devices SET revoked_at = ${now} WHERE user_id = ${userId} AND revoked_at IS NULL`
    } as const
  })
}) {
  static readonly layer = this.Default
}
