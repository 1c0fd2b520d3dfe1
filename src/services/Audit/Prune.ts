import { SqlClient } from "@effect/sql"
import { Data, Effect, Either, Option } from "effect"
import { Audit } from "../Audit.ts"
import { Keys } from "../Keys.ts"
import type { StoredRow } from "./Append.ts"
import { slice } from "./Read.ts"
import { beginning, chainState } from "./State.ts"
import { Walk } from "./Walk.ts"
import { sealWatermark } from "./Watermark.ts"

/** The oldest rows do not verify: to remove them would remove the evidence. */
export class PruneRefused extends Data.TaggedError("PruneRefused")<{ readonly seq: number }> {
  override get message() {
    return `no audit rows are pruned, because the log does not verify at row ${this.seq}; svc audit verify says more`
  }
}

const lockKey = 7_700_002

/** Whoever moves the watermark takes turns with other replicas, in a transaction: what is read after this goes together. */
export const pruningTurn = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(${lockKey})`),
    orElse: () => Effect.void
  }))

/**
 * Removes the oldest rows of the audit log, at most `mostRows`, as long as `isOld` says so, once they are verified. A signed
 * watermark says where what is left begins, and a row `audit.pruned` says the same in the log; `metadata` is added to it.
 * In the caller's transaction. Answers whether there may be more.
 */
export const pruneAudit = (
  isOld: (row: StoredRow) => boolean,
  metadata: Readonly<Record<string, unknown>> = {},
  mostRows = 500
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const { auditChain, auditSigning } = yield* Keys
    yield* pruningTurn
    const state = yield* chainState(sql)
    if (Option.isNone(state)) return false
    const begin = beginning(state.value, auditSigning)
    if (Either.isLeft(begin)) return yield* new PruneRefused({ seq: state.value.oldest ?? 0 })
    const walk = new Walk(begin.right, auditChain, state.value.retired)
    const oldest = yield* slice(sql, 0, state.value.head.seq, mostRows)
    for (const row of oldest) {
      if (!isOld(row)) break
      if (walk.take(row) !== null) return yield* new PruneRefused({ seq: walk.last.seq + 1 })
    }
    if (walk.rows === 0) return false
    const { row_hash, row_hmac, seq } = walk.last
    yield* sql`DELETE FROM audit_log WHERE seq <= ${seq}`
    yield* sealWatermark(auditSigning, walk.last)
    yield* audit.record({
      action: "audit.pruned",
      target_type: "audit_log",
      metadata: { ...metadata, rows: walk.rows, last_seq: seq, last_row_hash: row_hash, last_row_hmac: row_hmac }
    })
    return walk.rows === mostRows
  })
