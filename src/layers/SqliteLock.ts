import { FileSystem } from "@effect/platform"
import { Data, Effect, Layer } from "effect"
import { acquireFileLock } from "../services/kernel/FileLock.ts"
import { Database } from "../services/kernel/sql/Database.ts"

/** Another process, or another part of this one, runs the brain on this SQLite file. */
export class AlreadyServed extends Data.TaggedError("AlreadyServed")<{ readonly file: string }> {
  override get message() {
    return `Another svc (or a program that embeds it) already serves ${this.file}, and a SQLite file can be served once. ` +
      "Stop that one, or set SVC_DATABASE_URL to a PostgreSQL database to run several."
  }
}

/**
 * Makes this brain the only one on its SQLite file while the layer lives; fails with AlreadyServed. Commands of the CLI that
 * only open the database do not take the lock, except the one that migrates down. PostgreSQL and `:memory:` need none.
 */
export const layer = Layer.scopedDiscard(Effect.gen(function*() {
  const { sqlite } = yield* Database
  if (sqlite === null || sqlite.file === ":memory:") return
  const fs = yield* FileSystem.FileSystem
  const path = yield* fs.realPath(sqlite.file) // one file may have several names
  yield* Effect.catchTag(acquireFileLock(`${path}.lock`), "LockHeld", () => new AlreadyServed({ file: sqlite.file }))
}))
