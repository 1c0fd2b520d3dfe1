import { SqlClient } from "@effect/sql"
import { Data, Effect } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { secretKeyOf } from "../kernel/keys/Cipher.ts"
import { activeKeyName, formerKeyName, readSecretKeyIds } from "../kernel/keys/Fingerprints.ts"
import { addKeyInstructions, appendNewKey } from "../kernel/keys/KeyRing.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { forUpdate } from "../kernel/sql/Dialect.ts"

/** There is no next key to be had; `message` says what to do. */
export class NextKeyMissing extends Data.TaggedError("NextKeyMissing")<{ readonly message: string }> {}

/** A key of this process that was never active in this database; null when there is none. */
const findUnusedKeyId = Effect.gen(function*() {
  const { secret } = yield* Keys
  const { ids } = yield* readSecretKeyIds
  return secret.all().find(({ key_id }) => !ids.includes(key_id))?.key_id ?? null
})

/**
 * Prepares the next key: an unused key of the setting, else a new one in the key file. It encrypts nothing until
 * `activateSecretKey`, so that every replica can be given it first. Returns its id.
 */
export const stageSecretKey = Effect.gen(function*() {
  const { secret } = yield* Keys
  const unusedKeyId = yield* findUnusedKeyId
  if (unusedKeyId !== null) return unusedKeyId
  if (secret.file === null) {
    return yield* new NextKeyMissing({
      message: `SVC_SECRET_KEY comes from the environment and has no new key: ${addKeyInstructions}`
    })
  }
  const { key_id } = secretKeyOf(yield* appendNewKey(secret.file))
  secret.find(key_id) // reads it
  return key_id
})

/**
 * Makes the next key the active one for every replica; waits for transactions that seal under the former key. Returns
 * both ids, or null when every key of this process was active before.
 */
export const activateSecretKey = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const audit = yield* Audit
  return yield* sql.withTransaction(Effect.gen(function*() {
    const [before] = yield* sql<{ fingerprint: string; created_at: string }>`
      SELECT fingerprint, created_at FROM key_fingerprints WHERE name = ${activeKeyName} ${forUpdate(sql)}`
    const to = yield* findUnusedKeyId
    if (before === undefined || to === null) return null
    const { created_at, fingerprint: from } = before
    const now = yield* Timestamp.now
    yield* sql`INSERT INTO key_fingerprints ${sql.insert({ name: formerKeyName(from), fingerprint: from, created_at })}`
    yield* sql`UPDATE key_fingerprints SET fingerprint = ${to}, created_at = ${now} WHERE name = ${activeKeyName}`
    const metadata = { from, to }
    yield* audit.record(auditEntry("secrets.key_rotated", "secret_key", to, { metadata }))
    return metadata
  }))
})
