import { SqlClient } from "@effect/sql"
import { Data, Effect, Option } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { addKeyInstructions, appendNewKey } from "../kernel/keys/KeyRing.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { forUpdate } from "../kernel/sql/Dialect.ts"
import { Audit } from "./Audit.ts"
import { chainKeyOf } from "./ChainKeys.ts"
import { verifyLog } from "./Verify.ts"

/** A key cannot be staged, activated or retired; `message` is a sentence for the user. */
export class RotationRefused extends Data.TaggedError("RotationRefused")<{ readonly message: string }> {}

type KeyState = "staged" | "active" | "former" | "retired"

const readKeyStates = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ key_id: string; state: KeyState }>`SELECT key_id, state FROM audit_keys WHERE purpose = 'chain'`,
    (rows) => new Map(rows.map(({ key_id, state }) => [key_id, state]))
  ))

const findKeyInState = (keyStates: ReadonlyMap<string, KeyState>, state: KeyState): string | null =>
  [...keyStates].find(([, of]) => of === state)?.[0] ?? null

const setKeyState = (key_id: string, state: KeyState) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE audit_keys SET state = ${state} WHERE key_id = ${key_id}`)

/** In a transaction that excludes all others that write rows or change keys: what it reads stays true. */
const withHeadLock = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql.withTransaction(Effect.zipRight(sql`SELECT 1 FROM audit_head WHERE id = 1 ${forUpdate(sql)}`, work))
  )

/**
 * Registers the next key: one of the setting that was never used, else a new one in the file that the keys come from. It
 * signs nothing until `activateChainKey`, so every replica can get it first. Returns its id.
 */
export const stageChainKey = withHeadLock(Effect.gen(function*() {
  const { auditChain } = yield* Keys
  const sql = yield* SqlClient.SqlClient
  const audit = yield* Audit
  const keyStates = yield* readKeyStates
  const stagedKeyId = findKeyInState(keyStates, "staged")
  if (stagedKeyId !== null) {
    return yield* new RotationRefused({
      message: `the key ${stagedKeyId} is staged already; svc audit activate-chain-state makes it sign`
    })
  }
  const unusedKeyId = auditChain.all().find(({ key_id }) => !keyStates.has(key_id))?.key_id
  if (unusedKeyId === undefined && auditChain.file === null) {
    return yield* new RotationRefused({
      message: `SVC_AUDIT_CHAIN_KEY comes from the environment and has no new key: ${addKeyInstructions}`
    })
  }
  const key_id = unusedKeyId ?? chainKeyOf(yield* appendNewKey(auditChain.file ?? "")).key_id
  const created_at = yield* Timestamp.now
  const row = { key_id, purpose: "chain", state: "staged", public_key: null, created_at }
  yield* sql`INSERT INTO audit_keys ${sql.insert(row)}`
  yield* audit.record({ action: "audit.key_staged", target_type: "audit_log", metadata: { key_id } })
  return key_id
}))

/**
 * Lets the staged key sign from the next row on. That row, `audit.key_rotated`, records it. Returns both ids, or null.
 */
export const activateChainKey = withHeadLock(Effect.gen(function*() {
  const { auditChain } = yield* Keys
  const sql = yield* SqlClient.SqlClient
  const audit = yield* Audit
  const known = yield* readKeyStates
  const [from, to] = [findKeyInState(known, "active"), findKeyInState(known, "staged")]
  if (to === null) return null
  if (auditChain.find(to) === undefined) {
    const message = `the staged key ${to} is not among those of SVC_AUDIT_CHAIN_KEY here`
    return yield* new RotationRefused({ message })
  }
  yield* sql`UPDATE audit_head SET key_id = ${to} WHERE id = 1`
  if (from !== null) yield* setKeyState(from, "former")
  yield* setKeyState(to, "active")
  yield* audit.record({ action: "audit.key_rotated", target_type: "audit_log", metadata: { from, to } })
  return { from, to }
}))

/** Only a former key can be retired. */
const checkFormer = (key_id: string) =>
  Effect.flatMap(readKeyStates, (known) => {
    const state = known.get(key_id)
    if (state === "former") return Effect.void
    const why = state === undefined
      ? "was never used here"
      : state === "retired"
      ? "is retired already"
      : `is ${state}; only a former one can be retired`
    return Effect.fail(new RotationRefused({ message: `the key ${key_id} ${why}` }))
  })

/**
 * Retires a key: verifies all rows with it a last time. From then on the HMACs of later rows prove its rows, by their
 * hashes. `lost`: the key is gone, so its HMACs are not verified.
 */
export const retireChainKey = (key_id: string, lost: boolean) =>
  Effect.gen(function*() {
    const keys = yield* Keys
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    yield* checkFormer(key_id)
    if (keys.auditChain.find(key_id) === undefined && !lost) {
      return yield* new RotationRefused({
        message: `the key ${key_id} is not available on this machine, so its rows cannot be verified once more; ` +
          "--lost retires it anyway"
      })
    }
    const verification = Option.getOrNull(yield* verifyLog(sql, keys, { retired: [key_id] }))
    if (verification === null || verification.problem !== null) {
      return yield* new RotationRefused({
        message: `the audit log does not verify: ${verification?.problem?.detail ?? "there is none"}`
      })
    }
    // before the transaction: it may read the whole log, and a former key signs no new row
    const [last] = yield* sql<{ seq: number; row_hash: string }>`
      SELECT seq, row_hash FROM audit_log WHERE key_id = ${key_id} ORDER BY seq DESC LIMIT 1`
    return yield* withHeadLock(Effect.gen(function*() {
      yield* checkFormer(key_id) // another process may have retired it
      yield* setKeyState(key_id, "retired")
      yield* audit.record({
        action: "audit.key_retired",
        target_type: "audit_log",
        metadata: { key_id, lost, last_seq: last?.seq ?? null, last_row_hash: last?.row_hash ?? null }
      })
      return last?.seq ?? null
    }))
  })
