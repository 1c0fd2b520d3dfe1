import { SqlClient } from "@effect/sql"
import { Data, Effect, Either, Option } from "effect"
import { Audit } from "../Audit.ts"
import { Reader } from "../Database.ts"
import { turn } from "../EventLoop.ts"
import { Keys } from "../Keys.ts"
import type { StoredRow } from "./Append.ts"
import type { Link } from "./Chain.ts"
import { slice, sliceRows } from "./Read.ts"
import { beginning, chainState } from "./State.ts"
import { Walk } from "./Walk.ts"
import { sealWatermark } from "./Watermark.ts"

/** The oldest rows do not verify: to remove them would remove the evidence. */
export class PruneRefused extends Data.TaggedError("PruneRefused")<{ readonly seq: number }> {
  override get message() {
    return `no audit rows are pruned, because the log does not verify at row ${this.seq}; svc audit verify says more`
  }
}

/** Somebody else removed rows while they were verified here. */
export class PrunedMeanwhile extends Data.TaggedError("PrunedMeanwhile") {
  override get message() {
    return "audit rows were pruned meanwhile; run it again"
  }
}

const lockKey = 7_700_002

/** Whoever moves the watermark takes turns with other replicas, in a transaction: what is read after this goes together. */
export const pruningTurn = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(${lockKey})`),
    orElse: () => Effect.void
  }))

/** Begins a walk along the log as it is; null: no brain has served this database yet. */
const walking = (sql: SqlClient.SqlClient) =>
  Effect.gen(function*() {
    const { auditChain, auditSigning } = yield* Keys
    const state = Option.getOrNull(yield* chainState(sql))
    if (state === null) return null
    const begin = beginning(state, auditSigning)
    const { oldest } = state
    if (Either.isLeft(begin)) return yield* new PruneRefused({ seq: oldest ?? 0 })
    if (oldest !== null && oldest <= begin.right.seq) return yield* new PruneRefused({ seq: oldest })
    return { begin: begin.right, newest: state.newest ?? 0, walk: new Walk(begin.right, auditChain, state.retired) }
  })

/**
 * Verifies the oldest rows as long as `isOld` says so, in slices, and then those after them until one has an HMAC that
 * holds: only that proves rows whose key was retired. `each` is given the rows of a slice once they fitted. Answers the
 * link at the end of each slice: all that was verified, when the last one is still the same.
 */
export const proveOldest = <E = never, R = never>(
  isOld: (row: StoredRow) => boolean,
  each: (rows: ReadonlyArray<StoredRow>) => Effect.Effect<void, E, R> = () => Effect.void
) =>
  Effect.gen(function*() {
    const sql = yield* Reader
    const ends: Array<Link> = []
    const begun = yield* walking(sql)
    if (begun === null) return ends
    const { begin, newest, walk } = begun
    const next = Effect.flatMap(turn, () => slice(sql, walk.last.seq, newest))
    const refuse = Effect.gen(function*() {
      if (((yield* walking(sql))?.begin.seq ?? 0) > begin.seq) return yield* new PrunedMeanwhile()
      return yield* new PruneRefused({ seq: walk.last.seq + 1 })
    })
    const take = (row: StoredRow) => Effect.suspend(() => (walk.take(row) === null ? Effect.void : refuse))

    while (true) {
      const rows = yield* next
      const young = rows.findIndex((row) => !isOld(row))
      const old = young === -1 ? rows : rows.slice(0, young)
      yield* Effect.forEach(old, take, { discard: true })
      if (old.length > 0) {
        ends.push(walk.last)
        yield* each(old)
      }
      if (old.length < sliceRows) break
    }
    while (!walk.proven) {
      const rows = yield* next
      if (rows.length === 0) return yield* refuse
      for (const row of rows) {
        yield* take(row)
        if (walk.proven) break
      }
    }
    return ends
  })

/** Removes the rows up to `end` under a watermark, in a transaction, if they are those that were verified. */
const removeUpTo = (end: Link, metadata: Readonly<Record<string, unknown>>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const { auditSigning } = yield* Keys
    yield* pruningTurn
    const begun = yield* walking(sql)
    if (begun === null || begun.begin.seq >= end.seq) return // another replica was quicker
    const { begin, walk } = begun
    for (const row of yield* slice(sql, begin.seq, end.seq, end.seq - begin.seq)) {
      if (walk.take(row) !== null) break
    }
    const { row_hash, row_hmac, seq } = walk.last
    const isSame = seq === end.seq && row_hash === end.row_hash && row_hmac === end.row_hmac
    if (!isSame) return yield* new PruneRefused({ seq: seq + 1 })
    yield* sql`DELETE FROM audit_log WHERE seq <= ${seq}`
    yield* sealWatermark(auditSigning, walk.last)
    yield* audit.record({
      action: "audit.pruned",
      target_type: "audit_log",
      metadata: { ...metadata, rows: walk.rows, last_seq: seq, last_row_hash: row_hash, last_row_hmac: row_hmac }
    })
  }).pipe((work) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work)))

/**
 * Removes what `proveOldest` verified, a slice in a transaction. A signed watermark says where what is left begins, and
 * a row `audit.pruned` says the same in the log; `metadata` is added to it.
 */
export const removeProven = (ends: ReadonlyArray<Link>, metadata: Readonly<Record<string, unknown>> = {}) =>
  Effect.forEach(ends, (end) => removeUpTo(end, metadata), { discard: true })

/** Removes the oldest rows of the audit log as long as `isOld` says so, once they are verified and proven. */
export const pruneAudit = (isOld: (row: StoredRow) => boolean) =>
  Effect.flatMap(proveOldest(isOld), (ends) => removeProven(ends))
