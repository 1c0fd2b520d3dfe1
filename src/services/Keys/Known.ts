import { SqlClient, type SqlError } from "@effect/sql"
import { Effect } from "effect"

/** The row of `key_fingerprints` that names the key which seals; those that sealed before it have rows of their own. */
export const sealing = "SVC_SECRET_KEY"

export const formerly = (key_id: string): string => `${sealing} former ${key_id}`

/** The keys that ever sealed in this database. */
export interface Known {
  /** Which one seals; null before the first start. */
  readonly active: string | null
  /** All of them, oldest first. */
  readonly ids: ReadonlyArray<string>
}

export const known: Effect.Effect<Known, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string; fingerprint: string }>`
    SELECT name, fingerprint FROM key_fingerprints
    WHERE name = ${sealing} OR name LIKE ${formerly("%")} ORDER BY created_at`
  const active = rows.find(({ name }) => name === sealing)?.fingerprint ?? null
  return { active, ids: rows.map(({ fingerprint }) => fingerprint) }
})
