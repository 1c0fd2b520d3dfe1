import { SqlClient } from "@effect/sql"
import { Data, Effect, Either, Option } from "effect"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { lockTable } from "../kernel/sql/Dialect.ts"
import { Audit } from "./Audit.ts"
import type { Link } from "./Chain.ts"
import { chainStart, readChainState } from "./ChainState.ts"
import type { StoredRow } from "./ChainWriter.ts"
import { readSlice, sliceRows } from "./StoredRows.ts"
import { ChainWalk } from "./Walk.ts"
import { signWatermark } from "./Watermark.ts"

/** The oldest rows do not verify. Pruning them would remove the evidence. */
export class PruneRefused extends Data.TaggedError("PruneRefused")<{ readonly seq: number }> {
  override get message() {
    return `no audit rows are pruned, because the log does not verify at row ${this.seq}; run svc audit verify for details`
  }
}

/** Another process pruned rows while this one verified them. */
export class PrunedConcurrently extends Data.TaggedError("PrunedConcurrently") {
  override get message() {
    return "another process pruned audit rows at the same time; run the command again"
  }
}

/**
 * Lets one transaction at a time move the watermark; readers do not wait. The table and not its row, which is not there
 * before the first prune. Call it before the watermark is read.
 */
export const lockWatermark = Effect.flatMap(SqlClient.SqlClient, (sql) => lockTable(sql, "audit_watermark"))

/** Begins a walk at the log's first row; null: no brain has served this database yet. */
const startWalk = (sql: SqlClient.SqlClient) =>
  Effect.gen(function*() {
    const { auditChain, auditSigning } = yield* Keys
    const state = Option.getOrNull(yield* readChainState(sql))
    if (state === null) return null
    const begin = chainStart(state, auditSigning)
    const { oldest } = state
    if (Either.isLeft(begin)) return yield* new PruneRefused({ seq: oldest ?? 0 })
    if (oldest !== null && oldest <= begin.right.seq) return yield* new PruneRefused({ seq: oldest })
    return {
      begin: begin.right,
      newest: state.newest ?? 0,
      walk: new ChainWalk(begin.right, auditChain, state.retired)
    }
  })

/**
 * Verifies the oldest rows while `isOld` holds, in slices, and then the rows after them up to the first valid HMAC:
 * only that proves rows whose key was retired. `each` gets the rows of each slice that is valid. Returns the link at
 * the end of each slice. While that link is the same, the verified rows are the same.
 */
export const verifyOldest = <E = never, R = never>(
  isOld: (row: StoredRow) => boolean,
  each: (rows: ReadonlyArray<StoredRow>) => Effect.Effect<void, E, R> = () => Effect.void
) =>
  Effect.gen(function*() {
    const sql = yield* Reader
    const sliceEnds: Array<Link> = []
    const start = yield* startWalk(sql)
    if (start === null) return sliceEnds
    const { begin, newest, walk } = start
    const nextSlice = Effect.flatMap(yieldToEventLoop, () => readSlice(sql, walk.last.seq, newest))
    const refuse = Effect.gen(function*() {
      if (((yield* startWalk(sql))?.begin.seq ?? 0) > begin.seq) return yield* new PrunedConcurrently()
      return yield* new PruneRefused({ seq: walk.last.seq + 1 })
    })
    const advance = (row: StoredRow) => Effect.suspend(() => (walk.advance(row) === null ? Effect.void : refuse))

    while (true) {
      const rows = yield* nextSlice
      const firstYoung = rows.findIndex((row) => !isOld(row))
      const oldRows = firstYoung === -1 ? rows : rows.slice(0, firstYoung)
      yield* Effect.forEach(oldRows, advance, { discard: true })
      if (oldRows.length > 0) {
        sliceEnds.push(walk.last)
        yield* each(oldRows)
      }
      if (oldRows.length < sliceRows) break
    }
    while (!walk.proven) {
      const rows = yield* nextSlice
      if (rows.length === 0) return yield* refuse
      for (const row of rows) {
        yield* advance(row)
        if (walk.proven) break
      }
    }
    return sliceEnds
  })

/** Deletes the rows up to `end` under a watermark, in a transaction, if they are the verified rows. */
const deleteUpTo = (end: Link, metadata: Readonly<Record<string, unknown>>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const { auditSigning } = yield* Keys
    yield* lockWatermark
    const start = yield* startWalk(sql)
    if (start === null || start.begin.seq >= end.seq) return // another replica has pruned them
    const { begin, walk } = start
    for (const row of yield* readSlice(sql, begin.seq, end.seq, end.seq - begin.seq)) {
      if (walk.advance(row) !== null) break
    }
    const { row_hash, row_hmac, seq } = walk.last
    const isSame = seq === end.seq && row_hash === end.row_hash && row_hmac === end.row_hmac
    if (!isSame) return yield* new PruneRefused({ seq: seq + 1 })
    yield* sql`DELETE FROM audit_log WHERE seq <= ${seq}`
    yield* signWatermark(auditSigning, walk.last)
    yield* audit.record({
      action: "audit.pruned",
      target_type: "audit_log",
      metadata: { ...metadata, rows: walk.rows, last_seq: seq, last_row_hash: row_hash, last_row_hmac: row_hmac }
    })
  }).pipe((work) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work)))

/**
 * Deletes the rows that `verifyOldest` verified, one slice per transaction. A signed watermark names the last deleted row,
 * and a row `audit.pruned` records the same in the log, with this `metadata`.
 */
export const deleteVerified = (ends: ReadonlyArray<Link>, metadata: Readonly<Record<string, unknown>> = {}) =>
  Effect.forEach(ends, (end) => deleteUpTo(end, metadata), { discard: true })

/** Deletes the oldest rows of the audit log while `isOld` holds, once they are verified and proven. */
export const pruneAudit = (isOld: (row: StoredRow) => boolean) =>
  Effect.flatMap(verifyOldest(isOld), (ends) => deleteVerified(ends))
