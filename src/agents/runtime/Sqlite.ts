/**
 * SQLite for the buffer: better-sqlite3 where it is installed, as in the package `svc`, else Node's own since 22.15. A
 * worker on a later Node needs no native package.
 */
import type BetterSqlite3 from "better-sqlite3"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { errorCodeOf, messageOf } from "./ErrorInfo.ts"

/** The members that both drivers have. Bound values are texts and numbers. */
export interface Statement<Row = unknown> {
  readonly run: (...values: ReadonlyArray<unknown>) => unknown
  readonly get: (...values: ReadonlyArray<unknown>) => Row | undefined
  readonly all: (...values: ReadonlyArray<unknown>) => ReadonlyArray<Row>
  readonly iterate: (...values: ReadonlyArray<unknown>) => Iterable<Row>
}

export interface Sqlite {
  readonly prepare: <Row>(sql: string) => Statement<Row>
  readonly exec: (sql: string) => unknown
  readonly close: () => unknown
}

/** `existing` creates no file and waits for no lock. `damaged` reads what is left of a file. */
export type Purpose = "existing" | "damaged" | "memory"

type Open = (path: string, purpose: Purpose) => Sqlite

interface NodeSqlite {
  readonly DatabaseSync: new(
    path: string,
    options: { readonly readOnly?: boolean; readonly timeout?: number; readonly defensive?: boolean }
  ) => Sqlite
}

const loadBetterSqlite3 = (): Open => {
  const Database: typeof BetterSqlite3 = createRequire(import.meta.url)("better-sqlite3")
  new Database(":memory:").close() // the native part is loaded with the first database
  const open = (path: string, purpose: Purpose) => {
    if (purpose === "memory") return new Database(":memory:")
    const isDamaged = purpose === "damaged"
    const database = new Database(path, { timeout: 0, fileMustExist: true, readonly: isDamaged })
    return isDamaged ? database.unsafeMode() : database
  }
  return open as Open // the types of its statements demand the parameters of each; the rows' types are ours
}

const loadNodeSqlite = (): Open => {
  // the types are those of Node 20, which has no node:sqlite
  const node = process.getBuiltinModule("node:sqlite") as NodeSqlite | undefined
  if (node === undefined) throw new Error("no such module")
  try {
    new node.DatabaseSync("file:///svc?mode=memory", {}).close()
  } catch {
    // such a Node reads the address as a file's name, so that no buffer could be opened
    throw new Error("it opens no addresses in this Node; it does from Node 22.15 on")
  }
  return (path, purpose) => {
    if (purpose === "memory") return new node.DatabaseSync(":memory:", {})
    if (purpose === "damaged") return new node.DatabaseSync(path, { readOnly: true, timeout: 0, defensive: false })
    return new node.DatabaseSync(`${pathToFileURL(path).href}?mode=rw`, { timeout: 0 }) // rw: must exist
  }
}

const drivers = [["better-sqlite3", loadBetterSqlite3], ["node:sqlite", loadNodeSqlite]] as const

/** Each driver that this Node and this installation have, by name. */
export const loadDrivers = (): {
  readonly found: ReadonlyArray<readonly [string, Open]>
  readonly problems: string
} => {
  const found: Array<readonly [string, Open]> = []
  const problems: Array<string> = []
  for (const [name, load] of drivers) {
    try {
      found.push([name, load()])
    } catch (error) {
      problems.push(`${name}: ${messageOf(error).split("\n")[0]}`)
    }
  }
  return { found, problems: problems.join("; ") }
}

let driver: Open | undefined

/** Loads the driver, once. Throws a sentence for the operator where there is none. */
export const loadSqlite = (): Open => {
  if (driver !== undefined) return driver
  const { found: [first], problems } = loadDrivers()
  if (first === undefined) {
    throw new Error(
      `The agent found no SQLite for its buffer (${problems}). Use Node.js 22.15 or later, or install better-sqlite3 beside the agent: npm install better-sqlite3.`
    )
  }
  driver = first[1]
  return driver
}

/** SQLite's result codes that the agent distinguishes. node:sqlite gives numbers, better-sqlite3 names. */
const codeNames: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  11: "SQLITE_CORRUPT",
  26: "SQLITE_NOTADB",
  522: "SQLITE_IOERR_SHORT_READ"
}

/** The name of SQLite's result code, or the error's own code; empty where it has none. */
export const sqliteCodeOf = (error: unknown): string => {
  const code = errorCodeOf(error)
  if (code !== "ERR_SQLITE_ERROR") return code
  const number = Number(Reflect.get(Object(error), "errcode"))
  return codeNames[number] ?? codeNames[number & 0xff] ?? code // the low byte of an extended code is the primary one
}

/** A check of SQLite found damage. */
export class DamagedFile extends Error {
  readonly code = "SQLITE_CORRUPT"
}
