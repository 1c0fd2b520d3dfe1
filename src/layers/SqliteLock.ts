import { FileSystem } from "@effect/platform"
import { SqlError } from "@effect/sql"
import BetterSqlite3 from "better-sqlite3"
import { Data, Effect, Layer } from "effect"
import { Database } from "../services/Database.ts"
import { restrictToOwner } from "./Sqlite.ts"

/** Another process, or another part of this one, runs the brain on this SQLite file. */
export class AlreadyServed extends Data.TaggedError("AlreadyServed")<{ readonly file: string }> {
  override get message() {
    return `Another svc (or a program that embeds it) already serves ${this.file}, and a SQLite file can be served once. ` +
      "Stop that one, or set SVC_DATABASE_URL to a PostgreSQL database to run several."
  }
}

/** An empty file. Its lock ends with the process that holds it, also after kill -9. */
const acquireLock = (lockFile: string, file: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        restrictToOwner(lockFile)
        const lock = new BetterSqlite3(lockFile, { timeout: 0 })
        try {
          lock.exec("BEGIN EXCLUSIVE")
        } catch (error) {
          lock.close()
          throw error
        }
        return lock
      },
      catch: (cause) =>
        cause instanceof BetterSqlite3.SqliteError && cause.code.startsWith("SQLITE_BUSY")
          ? new AlreadyServed({ file })
          : new SqlError.SqlError({ cause, message: `cannot lock ${lockFile}` })
    }),
    (lock) => Effect.sync(() => lock.close())
  )

/**
 * Makes this brain the only one on its SQLite file while the layer lives; fails with AlreadyServed. Commands of the CLI that
 * only open the database do not take the lock, except the one that migrates down. PostgreSQL and `:memory:` need none.
 */
export const layer = Layer.scopedDiscard(Effect.gen(function*() {
  const { sqlite } = yield* Database
  if (sqlite === null || sqlite.file === ":memory:") return
  const fs = yield* FileSystem.FileSystem
  const path = yield* fs.realPath(sqlite.file) // one file may have several names
  yield* acquireLock(`${path}.lock`, sqlite.file)
}))
