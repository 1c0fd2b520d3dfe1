import { SqlClient } from "@effect/sql"
import { Data, Effect } from "effect"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { secretKeyOf } from "../services/kernel/keys/Cipher.ts"
import { activeKeyName, readSecretKeyIds } from "../services/kernel/keys/Fingerprints.ts"
import type { KeyRing } from "../services/kernel/keys/KeyRing.ts"
import { countSealedByKey } from "../services/kernel/keys/SealedColumns.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { KeyMismatch, type PrepareKeyFile, readKeyRing } from "./KeyFiles.ts"

/** SVC_SECRET_KEY does not contain every key this database needs: a key was removed too early or not yet added. */
export class SecretKeyIncomplete extends Data.TaggedError("SecretKeyIncomplete")<{ readonly message: string }> {}

/** The keys of stored secrets, from the setting or from the file in SVC_HOME. */
export const readSecretKeys = (before: PrepareKeyFile) =>
  Effect.flatMap(
    Settings,
    ({ secretKey }) => readKeyRing("SVC_SECRET_KEY", secretKey, "secret.key", before, secretKeyOf)
  )

/** Fails unless this process holds the key that encrypts, once the database has one. */
export const verifySecretKeys = ({ find }: KeyRing) =>
  Effect.gen(function*() {
    const { active, ids } = yield* readSecretKeyIds
    if (active === null || find(active) !== undefined) return
    if (!ids.some((key_id) => find(key_id) !== undefined)) return yield* new KeyMismatch({ setting: activeKeyName })
    return yield* new SecretKeyIncomplete({
      message: `SVC_SECRET_KEY lacks the key ${active}, which is the active encryption key. ` +
        "Give every replica the same keys."
    })
  })

/** Fails unless this process holds every key that a stored secret is encrypted under. */
export const verifyStoredSecretKeys = ({ find }: KeyRing) =>
  Effect.gen(function*() {
    for (const [key_id, texts] of yield* countSealedByKey) {
      if (find(key_id) !== undefined) continue
      return yield* new SecretKeyIncomplete({
        message: `SVC_SECRET_KEY lacks the key ${key_id}, and stored secrets are still sealed under it: ${texts}. ` +
          "Put it back beside the others, and run svc secret-key reseal before you take it out."
      })
    }
  })

/** Compares the keys with those that the database's secrets are sealed under; a new database takes the first. */
export const registerSecretKeys = (keys: KeyRing) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const fingerprint = keys.all()[0]?.key_id ?? ""
    const created_at = yield* Timestamp.now
    const row = sql.insert({ name: activeKeyName, fingerprint, created_at })
    yield* sql`INSERT INTO key_fingerprints ${row} ON CONFLICT DO NOTHING`
    yield* verifySecretKeys(keys)
    yield* verifyStoredSecretKeys(keys)
  })
