import type { SqlClient } from "@effect/sql"
import { Effect, Either, Option } from "effect"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import type { KeyRing } from "../kernel/keys/KeyRing.ts"
import type { SigningKeys } from "../kernel/keys/SigningKeys.ts"
import type { Link } from "./Chain.ts"
import { chainStart, type ChainState, findPrunedSince, readChainState } from "./ChainState.ts"
import { type AuditLogProblem, diagnose } from "./Diagnosis.ts"
import type { StatementFlaw } from "./Statement.ts"
import { makeRowLookup, readSlice } from "./StoredRows.ts"
import { ChainWalk } from "./Walk.ts"

/** The result of verifying all rows. */
export interface Verification {
  /** Rows that are valid, from the beginning to the end or to the problem. */
  readonly rows: number
  /** Rows among them whose key was retired and is not available. Later rows prove them. */
  readonly sealed: number
  /** The link before the first row: that of the last pruned row, or (0, zeros, zeros). */
  readonly begin: Link
  /** The newest row when the verification began. */
  readonly head: Link
  readonly problem: AuditLogProblem | null
}

export interface VerificationKeys {
  readonly auditChain: KeyRing
  readonly auditSigning: SigningKeys
}

const watermarkFlaws: Readonly<Record<StatementFlaw, string>> = {
  malformed: "the watermark is not a signed statement",
  forged: "the signature of the watermark is wrong",
  "key unknown":
    "the watermark is signed with a key that is not available on this machine; give its public key, or see " +
    "svc audit reseal-watermark"
}

const watermarkProblem = (flaw: StatementFlaw, seq: number): AuditLogProblem => ({
  kind: "watermark",
  seq,
  detail: watermarkFlaws[flaw]
})

/** What is wrong with the end of a log whose rows are all valid. */
const endProblem = ({ head, newest, oldest }: ChainState, begin: Link, walk: ChainWalk): AuditLogProblem | null => {
  const { last } = walk
  if (oldest !== null && oldest <= begin.seq) {
    return { kind: "inserted", seq: oldest, detail: `row ${oldest} is there, and rows up to ${begin.seq} were pruned` }
  }
  if (head.seq > last.seq) {
    return {
      kind: "cut",
      seq: last.seq + 1,
      detail: `the log ends at ${newest ?? begin.seq}, and its head is row ${head.seq}`
    }
  }
  if (head.seq < last.seq || head.row_hash !== last.row_hash || head.row_hmac !== last.row_hmac) {
    return { kind: "head", seq: last.seq, detail: `the newest row is ${last.seq}, and audit_head names another one` }
  }
  if (walk.time !== null && head.occurred_at !== walk.time) {
    return {
      kind: "head",
      seq: last.seq,
      detail: `the newest row has the time ${walk.time}, and audit_head names another one`
    }
  }
  if (begin.seq > 0 && last.seq === begin.seq) {
    return { kind: "cut", seq: last.seq + 1, detail: `no row is left after the pruned ones, and pruning leaves one` }
  }
  if (walk.pruned > begin.seq) {
    const seq = begin.seq + 1
    return { kind: "watermark", seq, detail: `rows up to ${walk.pruned} were pruned, and row ${seq} is present` }
  }
  return walk.proven
    ? null
    : {
      kind: "key_unknown",
      seq: last.seq,
      detail: "the newest row is signed with a key that is not available on this machine, so nothing proves the log"
    }
}

interface VerifyOptions {
  /** Keys that count as retired too. */
  readonly retired?: ReadonlyArray<string>
  /** The link before the first row, in place of the watermark's. */
  readonly begin?: Link
  /** Runs after each slice. */
  readonly afterSlice?: (progress: VerificationProgress) => Effect.Effect<unknown>
}

/** Rows that are verified, of those that the log had at the beginning. */
export interface VerificationProgress {
  readonly rows: number
  readonly total: number
}

/**
 * Verifies every row that the log has at the beginning, in slices, with one link in memory. Other processes may append
 * and prune rows during it. None: no brain has served this database yet.
 */
export const verifyLog = (
  sql: SqlClient.SqlClient,
  { auditChain, auditSigning }: VerificationKeys,
  options: VerifyOptions = {}
) =>
  Effect.gen(function*() {
    const stateOption = yield* readChainState(sql)
    if (Option.isNone(stateOption)) return Option.none<Verification>()
    const state = stateOption.value
    const start = options.begin === undefined ? chainStart(state, auditSigning) : Either.right(options.begin)
    if (Either.isLeft(start)) {
      const problem = watermarkProblem(start.left, state.oldest ?? 0)
      return Option.some<Verification>({ rows: 0, sealed: 0, begin: state.head, head: state.head, problem })
    }
    const begin = start.right
    const walk = new ChainWalk(begin, auditChain, new Set([...state.retired, ...options.retired ?? []]))
    const until = state.newest ?? 0
    let skipped = false
    const makeResult = (problem: AuditLogProblem | null) =>
      Option.some<Verification>({ rows: walk.rows, sealed: walk.sealed, begin, head: state.head, problem })

    while (true) {
      const rows = yield* readSlice(sql, walk.last.seq, until)
      for (const row of rows) {
        const misfit = walk.advance(row)
        if (misfit === null) continue
        const pruned = misfit === "seq" ? yield* findPrunedSince(sql, auditSigning, walk.last.seq) : null
        if (pruned === null) {
          return makeResult(yield* diagnose(walk, row, misfit, state.head.seq, makeRowLookup(sql)))
        }
        walk.skipTo(pruned) // rows were pruned during the verification
        skipped = true
        break
      }
      if (rows.length === 0) {
        const pruned = walk.last.seq < until ? yield* findPrunedSince(sql, auditSigning, walk.last.seq) : null
        if (pruned === null) return makeResult(skipped && walk.last.seq > until ? null : endProblem(state, begin, walk))
        walk.skipTo(pruned)
        skipped = true
      }
      if (options.afterSlice !== undefined) {
        yield* options.afterSlice({ rows: walk.rows, total: Math.max(0, until - begin.seq) })
      }
      yield* yieldToEventLoop
    }
  })
