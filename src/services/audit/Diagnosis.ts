import { Effect } from "effect"
import type { AuditLogProblemKind } from "../../domain/audit/Verification.ts"
import type { StoredRow } from "./ChainWriter.ts"
import type { ChainWalk, InvalidRowPart } from "./Walk.ts"

/**
 * What is wrong with the log, and the first row that shows it (`docs/audit.md`, Verifying). `head`: all rows are valid,
 * and `audit_head` differs. `watermark`: the beginning of the log cannot be trusted.
 */
export interface AuditLogProblem {
  readonly kind: typeof AuditLogProblemKind.Type
  readonly seq: number
  readonly detail: string
}

/** Reads rows around one that is not valid. */
export interface RowLookup<E, R> {
  readonly findAt: (seq: number) => Effect.Effect<StoredRow | undefined, E, R>
  /** The row that was written after the one with this HMAC, at any `seq` from this one on. */
  readonly findSuccessor: (rowHmac: string, seq: number) => Effect.Effect<StoredRow | undefined, E, R>
}

/**
 * Why `row` does not follow the rows that were walked so far. A valid HMAC proves that a row is ours, and which row it was
 * written after. So a changed row is distinguished from a moved one.
 */
export const diagnose = <E, R>(
  walk: ChainWalk,
  row: StoredRow,
  misfit: InvalidRowPart,
  headSeq: number,
  { findSuccessor, findAt }: RowLookup<E, R>
): Effect.Effect<AuditLogProblem, E, R> =>
  Effect.gen(function*() {
    const { last } = walk
    const seq = last.seq + 1
    if (misfit === "key") {
      return {
        kind: "key_unknown",
        seq: row.seq,
        detail: `row ${row.seq} is signed with the key ${row.key_id}, which is not available on this machine`
      }
    }
    const successor = yield* findSuccessor(last.row_hmac, seq)
    const isMoved = successor !== undefined && successor.seq !== seq && walk.isGenuine(successor)
    if (misfit === "seq") {
      if (isMoved) return reorderedProblem(seq, successor)
      const missing = row.seq - seq === 1 ? `row ${seq} is missing` : `rows ${seq} to ${row.seq - 1} are missing`
      return { kind: "missing", seq, detail: missing }
    }
    const isGenuine = walk.isGenuine(row)
    if (isMoved && isGenuine) return reorderedProblem(seq, successor)
    if (!isGenuine && (seq > headSeq || isMoved || (yield* findAt(seq + 1))?.prev_row_hmac === last.row_hmac)) {
      return { kind: "inserted", seq, detail: `row ${seq} was not written by us` }
    }
    if (isGenuine && row.prev_row_hmac !== last.row_hmac) {
      return {
        kind: "missing",
        seq,
        detail: `the original row ${seq} is missing; row ${seq} was written after another row than the one before it`
      }
    }
    return { kind: "changed", seq, detail: `row ${seq} was changed after it was written` }
  })

const reorderedProblem = (seq: number, successor: StoredRow): AuditLogProblem => ({
  kind: "reordered",
  seq,
  detail: `the original row ${seq} is now row ${successor.seq}`
})
