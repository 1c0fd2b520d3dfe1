import type { SqlClient } from "@effect/sql"
import { Effect, Either } from "effect"
import type { PublicKey } from "../kernel/keys/SigningKeys.ts"
import { findPrunedSince } from "./ChainState.ts"
import { Head, verifyStatement } from "./Statement.ts"
import type { Verification } from "./Verify.ts"

/** How an exported head compares with the log as it is now (`docs/audit.md`, Verifying: a known head). */
export type HeadResult =
  | "CURRENT_MATCH"
  | "PRUNE_MATCH"
  | "CURRENT_PRUNE_MATCH"
  | "VERIFIED_ANCESTOR"
  | "INVALID"
  | "UNPROVABLE"

export interface HeadComparison {
  readonly result: HeadResult
  readonly detail: string
}

const flawResults = {
  malformed: { result: "INVALID", detail: "it is not an exported head" },
  forged: { result: "INVALID", detail: "its signature is wrong" },
  "key unknown": {
    result: "UNPROVABLE",
    detail: "it is signed with a key that is not available on this machine; give the public key with --public-key"
  }
} as const

/** Compares the text of an exported head with a log that was verified. */
export const compareHead = (
  sql: SqlClient.SqlClient,
  text: string,
  { begin: start, head, problem }: Verification,
  trusted: ReadonlyMap<string, PublicKey>
) =>
  Effect.gen(function*() {
    const known = verifyStatement(Head, text, trusted)
    if (Either.isLeft(known)) return flawResults[known.left] satisfies HeadComparison
    const { row_hash, seq } = known.right
    const comparison = (result: HeadResult, detail: string): HeadComparison => ({ result, detail })
    const mismatch = comparison("INVALID", `the log has another row ${seq} than the known head`)
    if (problem !== null) return comparison("INVALID", "the log does not verify")
    if (seq > head.seq) {
      return comparison("INVALID", `the log ends at row ${head.seq}, and the known head is row ${seq}: it was cut`)
    }
    const [row] = yield* sql<{ row_hash: string }>`SELECT row_hash FROM audit_log WHERE seq = ${seq}`
    // rows may have been pruned since the log was verified
    const begin = row === undefined ? (yield* findPrunedSince(sql, { trusted }, start.seq)) ?? start : start
    if (seq === head.seq) {
      if (row_hash !== head.row_hash) {
        return mismatch
      }
      return begin.seq === 0
        ? comparison("CURRENT_MATCH", "the known head is the newest row, and the log is whole")
        : comparison("CURRENT_PRUNE_MATCH", `the known head is the newest row; rows up to ${begin.seq} were pruned`)
    }
    if (seq < begin.seq) return comparison("UNPROVABLE", `row ${seq} was pruned, with all rows up to ${begin.seq}`)
    if (seq === begin.seq && seq > 0) {
      return row_hash === begin.row_hash
        ? comparison("PRUNE_MATCH", `the known head is row ${seq}, the last one that was pruned`)
        : mismatch
    }
    return seq === 0 || row?.row_hash === row_hash
      ? comparison("VERIFIED_ANCESTOR", `the log has the known head, and has grown by ${head.seq - seq} rows since`)
      : mismatch
  })
