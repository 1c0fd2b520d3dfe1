import type { SqlClient } from "@effect/sql"
import { Chunk, Effect, Either, Stream } from "effect"
import type { PublicKey } from "../kernel/keys/SigningKeys.ts"
import { zeroHash } from "./Chain.ts"
import { findPrunedSince } from "./ChainState.ts"
import { Checkpoint, statementHash, verifyStatement } from "./Statement.ts"
import type { Verification } from "./Verify.ts"

export interface CheckpointProblem {
  /** `contradicted`: the log has another row. `cut`: it ends before. The other kinds concern the file itself. */
  readonly kind: "malformed" | "key unknown" | "forged" | "missing" | "reordered" | "forked" | "contradicted" | "cut"
  /** Line of the file, from 1. */
  readonly line: number
  readonly detail: string
}

export interface CheckpointReport {
  /** Checkpoints whose row the log has. */
  readonly confirmed: number
  /** Checkpoints of rows that were pruned. */
  readonly pruned: number
  /** The newest row that a checkpoint confirmed. All rows up to it are unchanged. */
  readonly upTo: number
  /** Streams whose first checkpoint here is not their first. */
  readonly beginsLater: number
  /** The number of problems; `problems` has the first 20. */
  readonly problemCount: number
  readonly problems: ReadonlyArray<CheckpointProblem>
}

interface StreamPosition {
  readonly number: number
  readonly hash: string
}

const batchLines = 200
const maxProblems = 20

/** Whether the log that was verified still has every checkpoint of a file, and whether the file is whole. */
export const checkCheckpoints = <E, R>(
  sql: SqlClient.SqlClient,
  lines: Stream.Stream<string, E, R>,
  { begin, head }: Verification,
  trusted: ReadonlyMap<string, PublicKey>
) =>
  Effect.gen(function*() {
    const streams = new Map<string, StreamPosition>()
    const problems: Array<CheckpointProblem> = []
    let from = begin
    let [line, confirmed, pruned, upTo, beginsLater, problemCount] = [0, 0, 0, 0, 0, 0]

    const addProblem = (kind: CheckpointProblem["kind"], detail: string) => {
      problemCount++
      if (problems.length < maxProblems) problems.push({ kind, line, detail })
    }

    /** Checks its position among the checkpoints of its stream. */
    const checkOrder = (checkpoint: Checkpoint) => {
      const { number, prev, stream } = checkpoint
      const before = streams.get(stream)
      const hash = statementHash(checkpoint)
      if (before?.hash === hash) return // a sink may receive a checkpoint twice
      if (before === undefined) {
        if (number !== 1) beginsLater++
        else if (prev !== zeroHash) addProblem("forked", `checkpoint 1 names a checkpoint before it`)
      } else if (number <= before.number) {
        return addProblem("reordered", `checkpoint ${number} follows checkpoint ${before.number}`)
      } else if (number > before.number + 1) {
        const from = before.number + 1
        addProblem(
          "missing",
          from === number - 1 ? `checkpoint ${from} is missing` : `checkpoints ${from} to ${number - 1} are missing`
        )
      } else if (prev !== before.hash) {
        addProblem("forked", `checkpoint ${number} names another checkpoint ${before.number} than the one here`)
      }
      streams.set(stream, { number, hash })
    }

    const checkRow = ({ number, row_hash, seq }: Checkpoint, found: string | undefined) => {
      if (seq < from.seq) pruned++
      else if (seq > head.seq) {
        addProblem("cut", `the log ends at row ${head.seq}, and checkpoint ${number} was signed at row ${seq}`)
      } else if ((seq === from.seq ? from.row_hash : found) !== row_hash) {
        addProblem("contradicted", `the log's row ${seq} is not the one that checkpoint ${number} was signed for`)
      } else {
        confirmed++
        upTo = Math.max(upTo, seq)
      }
    }

    const checkBatch = (texts: ReadonlyArray<string>) =>
      Effect.gen(function*() {
        const statements = texts.map((text) => verifyStatement(Checkpoint, text, trusted))
        const seqs = statements.flatMap((one) => (Either.isRight(one) ? one.right.seq : []))
        const rows = seqs.length === 0
          ? []
          : yield* sql<{ seq: number; row_hash: string }>`SELECT seq, row_hash FROM audit_log WHERE ${
            sql.in("seq", seqs)
          }`
        const hashes = new Map(rows.map(({ row_hash, seq }) => [seq, row_hash]))
        if (seqs.some((seq) => seq > from.seq && seq <= head.seq && !hashes.has(seq))) {
          from = (yield* findPrunedSince(sql, { trusted }, from.seq)) ?? from // rows may have been pruned since
        }
        for (const one of statements) {
          line++
          if (Either.isLeft(one)) {
            const details = {
              malformed: "it is not a checkpoint",
              forged: "its signature is wrong",
              "key unknown": "it is signed with a key that is not available on this machine"
            }
            addProblem(one.left, details[one.left])
            continue
          }
          checkOrder(one.right)
          checkRow(one.right, hashes.get(one.right.seq))
        }
      })

    yield* lines.pipe(
      Stream.grouped(batchLines),
      Stream.runForEach((chunk) => checkBatch(Chunk.toReadonlyArray(chunk)))
    )
    return { confirmed, pruned, upTo, beginsLater, problemCount, problems } satisfies CheckpointReport
  })
