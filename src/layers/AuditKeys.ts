import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { genesis, zeroHash } from "../services/audit/Chain.ts"
import { chainKeyOf } from "../services/audit/ChainKeys.ts"
import type { KeyRing } from "../services/kernel/keys/KeyRing.ts"
import { makeSigningKeys, signingKeyOf, type SigningKeys } from "../services/kernel/keys/SigningKeys.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { forUpdate } from "../services/kernel/sql/Dialect.ts"
import {
  isMissingFile,
  KeyMismatch,
  parseRequiredKeys,
  type PrepareKeyFile,
  readKeyRing,
  readKeyText,
  requireKeyFile
} from "./KeyFiles.ts"

const chainFile = "audit-chain.key"
const signingFile = "audit-signing.key"

/** The keys of the audit log, from the settings or from files in SVC_HOME. */
export const readAuditKeys = (before: PrepareKeyFile) =>
  Effect.gen(function*() {
    const { auditChainKey, auditSigningKey } = yield* Settings
    const auditChain = yield* readKeyRing("SVC_AUDIT_CHAIN_KEY", auditChainKey, chainFile, before, chainKeyOf)
    const signing = yield* readKeyText(auditSigningKey, signingFile, before)
    const [signer, ...others] = yield* parseRequiredKeys("SVC_AUDIT_SIGNING_KEY", signing)
    return { auditChain, auditSigning: makeSigningKeys(signingKeyOf(signer), others.map(signingKeyOf)) }
  })

/** The key that signs, if this machine has one. Creates none. */
export const findSigner = Effect.gen(function*() {
  const { auditSigningKey } = yield* Settings
  const text = yield* readKeyText(auditSigningKey, signingFile, requireKeyFile)
  const [signer] = yield* parseRequiredKeys("SVC_AUDIT_SIGNING_KEY", text)
  return signingKeyOf(signer)
}).pipe(Effect.catchIf(isMissingFile, () => Effect.succeed(null)))

/** Fails with KeyMismatch unless this process holds the key that signs rows, and the database knows one of the signing keys. */
export const verifyAuditKeys = (chain: KeyRing, { trusted }: Pick<SigningKeys, "trusted">) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [head] = yield* sql<{ key_id: string }>`SELECT key_id FROM audit_head WHERE id = 1`
    if (head === undefined || chain.find(head.key_id) === undefined) {
      return yield* new KeyMismatch({ setting: "SVC_AUDIT_CHAIN_KEY" })
    }
    const known = yield* sql<{ key_id: string }>`SELECT key_id FROM audit_keys WHERE purpose = 'signing'`
    if (!known.some(({ key_id }) => trusted.has(key_id))) {
      return yield* new KeyMismatch({ setting: "SVC_AUDIT_SIGNING_KEY" })
    }
  })

/**
 * Compares the keys with those that the log was written with. A new database takes the first of each. Later this process
 * must hold the key that signs rows, and the database must know one of the signing keys. `audit/Checkpoints.ts` records
 * further signing keys.
 */
export const registerAuditKeys = (chain: KeyRing, { signer, trusted }: SigningKeys) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const created_at = yield* Timestamp.now
    const key_id = chain.all()[0]?.key_id ?? ""
    const insertedHead = yield* sql`INSERT INTO audit_head ${
      sql.insert({ id: 1, ...genesis, prev_row_hmac: zeroHash, key_id })
    } ON CONFLICT DO NOTHING RETURNING id`
    if (insertedHead.length > 0) {
      // after the head row was deleted the keys exist already; no row is added until an administrator restores the head
      yield* sql`INSERT INTO audit_keys ${
        sql.insert([
          { key_id, purpose: "chain", state: "active", public_key: null, created_at },
          { key_id: signer.key_id, purpose: "signing", state: "active", public_key: signer.public_key, created_at }
        ])
      } ON CONFLICT DO NOTHING`
    }
    yield* sql`SELECT 1 FROM audit_head WHERE id = 1 ${forUpdate(sql)}`
    yield* verifyAuditKeys(chain, { trusted })
  }).pipe((work) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work)))
