import { SqlError } from "@effect/sql"
import { Data, Effect, type Scope } from "effect"
import { existsSync } from "node:fs"
import { openSqlite } from "../../sqlite/Driver.ts"
import { restrictToOwner } from "./OwnerFile.ts"
import { errorCode } from "./sql/Database.ts"

/** Another process, or another part of this one, holds the lock. */
export class LockHeld extends Data.TaggedError("LockHeld")<{ readonly file: string }> {}

/** Holds an empty file's lock while the scope is open. It ends with the process that holds it, also after kill -9. */
export const acquireFileLock = (file: string): Effect.Effect<void, LockHeld | SqlError.SqlError, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.try({
      try: () => {
        restrictToOwner(file)
        const lock = openSqlite(file, { access: "create", timeout: 0 })
        try {
          lock.exec("BEGIN EXCLUSIVE")
        } catch (error) {
          lock.close()
          throw error
        }
        return lock
      },
      catch: (cause) =>
        errorCode(cause).startsWith("SQLITE_BUSY")
          ? new LockHeld({ file })
          : new SqlError.SqlError({ cause, message: `cannot lock ${file}` })
    }),
    (lock) => Effect.sync(() => lock.close())
  ))

/**
 * Whether another process, or another part of this one, holds the lock. Creates no file. The question itself locks the
 * file for reading while it lasts, some 0.1 ms, so ask where a brain that starts at that moment may be refused.
 */
export const isFileLockHeld = (file: string): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.try({
    try: () => {
      if (!existsSync(file)) return false
      const lock = openSqlite(file, { access: "read", timeout: 0 })
      try {
        lock.exec("SELECT 1 FROM sqlite_master")
        return false
      } catch (error) {
        if (errorCode(error).startsWith("SQLITE_BUSY")) return true
        throw error
      } finally {
        lock.close()
      }
    },
    catch: (cause) => new SqlError.SqlError({ cause, message: `cannot look at ${file}` })
  })
