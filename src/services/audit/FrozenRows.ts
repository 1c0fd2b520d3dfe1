import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Data, Effect, Either, Option } from "effect"
import { createHash } from "node:crypto"
import { basename } from "node:path"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { genesis } from "./Chain.ts"
import { chainStart, readChainState } from "./ChainState.ts"
import { deleteVerified, PrunedConcurrently, verifyOldest } from "./Prune.ts"
import { signStatement } from "./Statement.ts"
import { verifyLog } from "./Verify.ts"

/** Frozen rows were not exported and deleted; `message` is a sentence for the user. */
export class FrozenRefused extends Data.TaggedError("FrozenRefused")<{ readonly message: string }> {}

/** The last row that a retired key signed: the log is frozen up to it. 0: no row is frozen. */
const findFrozenEnd = (retired: ReadonlySet<string>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    if (retired.size === 0) return 0
    const [row] = yield* sql<{ seq: number }>`
      SELECT seq FROM audit_log WHERE ${sql.in("key_id", [...retired])} ORDER BY seq DESC LIMIT 1`
    return row?.seq ?? 0
  })

/**
 * Verifies the whole log, writes the rows of retired keys and all before them to a new file, and deletes them under the
 * watermark. The rows are verified again while they are written, and exactly those are deleted. Lines of the file: the
 * watermark they began after, if any; the rows; the watermark they end with (`docs/audit.md`, Commands). Returns the
 * number of rows.
 */
export const exportAndDeleteFrozen = (path: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const fs = yield* FileSystem.FileSystem
    const keys = yield* Keys
    const state = Option.getOrNull(yield* readChainState(sql))
    const until = state === null ? 0 : yield* findFrozenEnd(state.retired)
    if (state === null || until === 0) return 0
    const problem = Option.getOrNull(yield* verifyLog(sql, keys))?.problem ?? null
    if (problem !== null) {
      return yield* new FrozenRefused({ message: `the audit log does not verify: ${problem.detail}` })
    }

    const begin = Either.getOrElse(chainStart(state, keys.auditSigning), () => genesis)
    const hash = createHash("sha256")
    const exportTo = (file: FileSystem.File) =>
      Effect.gen(function*() {
        let written = 0
        const write = (lines: ReadonlyArray<string>) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""), "utf8")
          hash.update(bytes)
          return file.writeAll(bytes)
        }
        if (state.watermark !== null) yield* write([state.watermark])
        const sliceEnds = yield* verifyOldest(({ seq }) => seq <= until, (rows) =>
          Effect.gen(function*() {
            if (written === 0 && rows[0]?.seq !== begin.seq + 1) return yield* new PrunedConcurrently()
            written += rows.length
            yield* write(rows.map((row) => JSON.stringify(row)))
          }))
        const last = sliceEnds.at(-1)
        if (last === undefined) return yield* new PrunedConcurrently()
        const { row_hash, row_hmac, seq } = last
        const watermark = { kind: "watermark", row_hash, row_hmac, seq, time: yield* Timestamp.now } as const
        yield* write([signStatement(keys.auditSigning.signer, watermark)])
        yield* file.sync
        return { ends: sliceEnds, written }
      })

    const { ends, written } = yield* Effect.scoped(Effect.gen(function*() {
      const file = yield* fs.open(path, { flag: "wx", mode: 0o600 })
      return yield* Effect.onError(exportTo(file), () => Effect.ignore(fs.remove(path)))
    }))
    yield* deleteVerified(ends, { archive: basename(path), archive_sha256: hash.digest("hex") })
    return written
  })
