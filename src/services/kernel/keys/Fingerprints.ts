import { SqlClient, type SqlError } from "@effect/sql"
import { Effect } from "effect"

/** The row of `key_fingerprints` with the active key; former keys have rows of their own. */
export const activeKeyName = "SVC_SECRET_KEY"

export const formerKeyName = (key_id: string): string => `${activeKeyName} former ${key_id}`

/** The keys that have ever been active in this database. */
export interface SecretKeyIds {
  /** The active one; null before the first start. */
  readonly active: string | null
  /** All of them, oldest first. */
  readonly ids: ReadonlyArray<string>
}

export const readSecretKeyIds: Effect.Effect<SecretKeyIds, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ name: string; fingerprint: string }>`
    SELECT name, fingerprint FROM key_fingerprints
    WHERE name = ${activeKeyName} OR name LIKE ${formerKeyName("%")} ORDER BY created_at`
    const active = rows.find(({ name }) => name === activeKeyName)?.fingerprint ?? null
    return { active, ids: rows.map(({ fingerprint }) => fingerprint) }
  }
)
