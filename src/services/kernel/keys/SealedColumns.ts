import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import { Effect } from "effect"
import { idempotencyRetentionSeconds } from "../../../domain/kernel/Idempotency.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../Ids.ts"

/**
 * The purpose of a sealed text. With the row's id it is the associated data, so a text cannot be moved to another row.
 */
export type SealPurpose =
  | "agents.hmac_secret"
  | "channels.sealed_config"
  | "commands.request_hash"
  | "commands.sealed_payload"
  | "idempotency_keys.body_hash"
  | "mail_outbox"
  | "schedule_operations.sealed_request"
  | "users.mfa_secret"

export const associatedDataOf = (purpose: SealPurpose, id: string): string => `${purpose} ${id}`

/** A column with sealed texts. */
export interface SealedColumn {
  readonly purpose: SealPurpose
  readonly table: string
  readonly id: { readonly column: string; readonly type: "uuid" | "text" }
  readonly column: string
  /** The rows whose text can still be needed; found by an index where the table is large. */
  readonly live: (sql: SqlClient.SqlClient, now: Timestamp.Timestamp) => Statement.Fragment
}

const id = { column: "id", type: "uuid" } as const

/** Seconds; a command's id and its `issued_at` differ by far less. */
const clockSkewSeconds = 60

/** Every column with sealed texts. Sealing requires one of these, so that a rotation covers them all. */
export const sealedColumns: ReadonlyArray<SealedColumn> = [
  { purpose: "agents.hmac_secret", table: "agents", id, column: "hmac_secret", live: (sql) => sql`true` },
  { purpose: "channels.sealed_config", table: "channels", id, column: "sealed_config", live: (sql) => sql`true` },
  { purpose: "mail_outbox", table: "mail_outbox", id, column: "sealed", live: (sql) => sql`true` },
  // the pending secret first: enrollment may turn it into the other one between the two columns
  {
    purpose: "users.mfa_secret",
    table: "users",
    id,
    column: "mfa_pending_secret",
    live: (sql) => sql`mfa_pending_secret IS NOT NULL`
  },
  { purpose: "users.mfa_secret", table: "users", id, column: "mfa_secret", live: (sql) => sql`mfa_secret IS NOT NULL` },
  {
    purpose: "commands.sealed_payload",
    table: "commands",
    id,
    column: "sealed_payload",
    live: (sql) => sql`status IN ('pending', 'dispatched') AND sealed_payload IS NOT NULL`
  },
  {
    purpose: "commands.request_hash",
    table: "commands",
    id,
    column: "request_hash",
    live: (sql, now) => {
      const oldest = Timestamp.addSeconds(now, -idempotencyRetentionSeconds - clockSkewSeconds)
      return sql`request_hash IS NOT NULL AND id >= ${Ids.minIdAt(Timestamp.toEpochMillis(oldest))}`
    }
  },
  {
    purpose: "idempotency_keys.body_hash",
    table: "idempotency_keys",
    id: { column: "scope", type: "text" },
    column: "body_hash",
    live: (sql, now) => sql`created_at > ${Timestamp.addSeconds(now, -idempotencyRetentionSeconds)}`
  },
  {
    purpose: "schedule_operations.sealed_request",
    table: "schedule_operations",
    id,
    column: "sealed_request",
    live: (sql) => sql`sealed_request IS NOT NULL`
  }
]

const keyIdLength = 32

type KeyCounts = ReadonlyMap<string, number>

/** How many texts are sealed under each key, by the key's id. A damaged text that names no key must not ask for one. */
export const countSealedByKey: Effect.Effect<KeyCounts, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const counts = new Map<string, number>()
    for (const { column, live, table } of sealedColumns) {
      const text = sql(column)
      const rows = yield* sql<{ key_id: string; texts: number }>`
        SELECT substr(${text}, 1, ${keyIdLength}) AS key_id, count(*) AS texts FROM ${sql(table)}
        WHERE substr(${text}, ${keyIdLength + 1}, 1) = '.' AND ${live(sql, now)} GROUP BY 1`
      for (const { key_id, texts } of rows) counts.set(key_id, (counts.get(key_id) ?? 0) + texts)
    }
    return counts
  }
)
