import { loadBetterSqlite3 } from "./BetterSqlite3.ts"
import type { OpenSqlite } from "./Connection.ts"
import { loadNodeSqlite } from "./NodeSqlite.ts"

/** better-sqlite3 12 aborts on Node 24, and 13, which does not, crashes on Node 20: so Node's own wherever it is usable. */
const drivers = [["node:sqlite", loadNodeSqlite], ["better-sqlite3", loadBetterSqlite3]] as const

/** Each driver that this Node.js and this installation have, by name, and why the others are missing. */
export const loadDrivers = (): {
  readonly found: ReadonlyArray<readonly [string, OpenSqlite]>
  readonly problems: ReadonlyArray<readonly [string, unknown]>
} => {
  const found: Array<readonly [string, OpenSqlite]> = []
  const problems: Array<readonly [string, unknown]> = []
  for (const [name, load] of drivers) {
    try {
      found.push([name, load()])
    } catch (error) {
      problems.push([name, error])
    }
  }
  return { found, problems }
}

const firstLineOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split("\n")[0] ?? ""

let driver: OpenSqlite | undefined

/** The first driver that can be loaded, which is loaded once. Throws why each of them cannot. */
export const loadSqlite = (): OpenSqlite => {
  if (driver !== undefined) return driver
  const { found: [first], problems } = loadDrivers()
  if (first === undefined) {
    throw new Error(problems.map(([name, error]) => `${name}: ${firstLineOf(error)}`).join("; "), {
      cause: problems.at(-1)?.[1]
    })
  }
  driver = first[1]
  return driver
}

/** Opens a database with that driver. */
export const openSqlite: OpenSqlite = (path, options) => loadSqlite()(path, options)
