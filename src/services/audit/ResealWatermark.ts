import { SqlClient } from "@effect/sql"
import { Data, Effect, Either, Option, Schema } from "effect"
import { Keys } from "../kernel/keys/Keys.ts"
import type { PublicKey } from "../kernel/keys/SigningKeys.ts"
import { Audit } from "./Audit.ts"
import type { Link } from "./Chain.ts"
import { readChainState } from "./ChainState.ts"
import { lockWatermark } from "./Prune.ts"
import { verifyStatement, Watermark } from "./Statement.ts"
import { verifyLog } from "./Verify.ts"
import { signWatermark, watermarkFromMetadata } from "./Watermark.ts"

/** The watermark was not signed again; `message` is a sentence for the user. */
export class ResealRefused extends Data.TaggedError("ResealRefused")<{ readonly message: string }> {}

/** Whether the newest row `audit.pruned`, which the chain proves, has the watermark's values. */
const isConfirmedByLog = ({ row_hash, row_hmac, seq }: Link) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ metadata: string }>`
      SELECT metadata FROM audit_log WHERE action = 'audit.pruned' ORDER BY seq DESC LIMIT 1`
    const pruned = row === undefined ? null : watermarkFromMetadata(row.metadata)
    return pruned !== null && pruned.seq === seq && pruned.row_hash === row_hash && pruned.row_hmac === row_hmac
  })

/**
 * Signs the watermark with the current signing key if it is unchanged: its signature is valid under one of our keys or
 * of `publicKeys`; or that key is gone, and the log's newest row `audit.pruned` has the same values. Returns the
 * watermark's row, or null when there is nothing to do.
 */
export const resealWatermark = (publicKeys: ReadonlyArray<PublicKey>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* Keys
    const audit = yield* Audit
    const text = Option.getOrNull(yield* readChainState(sql))?.watermark ?? null
    if (text === null) return null
    const watermark = Schema.decodeUnknownEither(Schema.parseJson(Watermark))(text)
    if (Either.isLeft(watermark)) {
      return yield* new ResealRefused({ message: "the watermark is not a signed statement" })
    }
    const { key_id, row_hash, row_hmac, seq } = watermark.right
    const begin = { seq, row_hash, row_hmac }
    const { signer, trusted } = keys.auditSigning
    const flaw = Either.flip(
      verifyStatement(Watermark, text, new Map([...trusted, ...publicKeys.map((one) => [one.key_id, one] as const)]))
    )
    if (Either.isRight(flaw) && (flaw.right !== "key unknown" || !(yield* isConfirmedByLog(begin)))) {
      return yield* new ResealRefused({
        message: flaw.right === "key unknown"
          ? `the watermark is signed with the key ${key_id}, which is not available on this machine, and the log ` +
            "does not confirm the watermark: give its public key"
          : "the signature of the watermark is wrong"
      })
    }
    if (Either.isLeft(flaw) && key_id === signer.key_id) return null
    const problem = Option.getOrNull(yield* verifyLog(sql, keys, { begin }))?.problem ?? null
    if (problem !== null) {
      return yield* new ResealRefused({ message: `the audit log does not verify: ${problem.detail}` })
    }
    yield* sql.withTransaction(Effect.gen(function*() {
      yield* lockWatermark
      if (Option.getOrNull(yield* readChainState(sql))?.watermark !== text) {
        return yield* new ResealRefused({
          message: "another process pruned rows at the same time; run the command again"
        })
      }
      yield* signWatermark(keys.auditSigning, begin)
      yield* audit.record({
        action: "audit.watermark_resealed",
        target_type: "audit_log",
        metadata: { seq, from: key_id, to: signer.key_id }
      })
    }))
    return seq
  })
