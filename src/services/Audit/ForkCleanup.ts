import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit } from "../Audit.ts"
import { Settings } from "../Settings.ts"
import { checkpointPath, readLastCheckpoint } from "./CheckpointFile.ts"
import { requireContained } from "./Checkpoints.ts"

/**
 * When the log has no longer what the last checkpoint of this machine says, because a copy of the database was restored:
 * writes that into the log and puts the file of checkpoints aside, so that a new one begins. Answers the path that it has
 * now, or null when log and checkpoints agree.
 */
export const cleanUpFork = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const fs = yield* FileSystem.FileSystem
  const audit = yield* Audit
  const path = checkpointPath(yield* Settings)
  const checkpoint = (yield* readLastCheckpoint(path))?.checkpoint
  if (checkpoint === undefined) return null
  const isContradicted = yield* requireContained(checkpoint).pipe(Effect.as(false), Effect.catchTag("LogContradicted", () => Effect.succeed(true)))
  if (!isContradicted) return null
  const { number, row_hash, seq, stream } = checkpoint
  const archivePath = `${path}.${(yield* Timestamp.now).replaceAll(":", "-")}`
  // the decision itself must be written, and the rows that it gives up are named in it
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
