import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Settings } from "../kernel/Settings.ts"
import { Audit } from "./Audit.ts"
import { checkpointPath, readLastCheckpoint } from "./CheckpointFile.ts"
import { requireRowInLog } from "./Checkpoints.ts"

/**
 * Accepts a log that contradicts the last checkpoint of this machine, because a copy of the database was restored. It
 * records `audit.forked` and renames the file of checkpoints, so a new stream begins. Returns the file's new path, or
 * null if log and checkpoints agree.
 */
export const cleanUpFork = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const fs = yield* FileSystem.FileSystem
  const audit = yield* Audit
  const path = checkpointPath(yield* Settings)
  const checkpoint = (yield* readLastCheckpoint(path))?.checkpoint
  if (checkpoint === undefined) return null
  const isContradicted = yield* requireRowInLog(checkpoint).pipe(
    Effect.as(false),
    Effect.catchTag("LogContradicted", () => Effect.succeed(true))
  )
  if (!isContradicted) return null
  const { number, row_hash, seq, stream } = checkpoint
  const archivePath = `${path}.${(yield* Timestamp.now).replaceAll(":", "-")}`
  // the decision itself must be recorded; it names the rows that are given up
  audit.committedHead.reset()
  yield* audit.resumeWrites
  yield* sql.withTransaction(audit.record({
    action: "audit.forked",
    target_type: "audit_log",
    metadata: { stream, number, seq, row_hash }
  }))
  yield* fs.rename(path, archivePath)
  return archivePath
})
