import type BetterSqlite3 from "better-sqlite3"
import { createRequire } from "node:module"
import type { OpenSqlite, SqliteConnection } from "./Connection.ts"

const connectionOf = (db: BetterSqlite3.Database): SqliteConnection => {
  const prepare = (sql: string, mode = "object") => {
    const statement = db.prepare(sql)
    return mode === "array" && statement.reader ? statement.raw(true) : statement
  }
  return {
    prepare: prepare as SqliteConnection["prepare"], // the caller names the types of values and rows
    exec: (sql) => void db.exec(sql),
    transaction: (body) => db.transaction(body).immediate(),
    close: () => void db.close()
  }
}

/** Loads better-sqlite3. Throws where it is not installed, or was not built for this Node.js. */
export const loadBetterSqlite3 = (): OpenSqlite => {
  const Database: typeof BetterSqlite3 = createRequire(import.meta.url)("better-sqlite3")
  new Database(":memory:").close() // the native part is loaded with the first database
  return (path, { access, timeout }) => {
    const readonly = access === "read" || access === "salvage"
    const db = new Database(path, { timeout, readonly, fileMustExist: access !== "create" })
    return connectionOf(access === "salvage" ? db.unsafeMode() : db)
  }
}
