import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { closeSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { vi } from "vitest"
import { loadDrivers, sqliteCodeOf } from "../../../src/agents/runtime/Sqlite.ts"
import { temporaryHome } from "../../databases.ts"

const codeOf = (run: () => unknown): string => {
  try {
    run()
    return "no error"
  } catch (error) {
    return sqliteCodeOf(error)
  }
}

/** A new file with a name that a URL would have to escape. */
const freshFile = Effect.map(temporaryHome, (home) => {
  const path = join(home, "a #1? 100%.sqlite")
  closeSync(openSync(path, "wx", 0o600))
  return path
})

it("an agent has a driver: better-sqlite3 is a dependency of svc", () => {
  assert.include(loadDrivers().found.map(([name]) => name), "better-sqlite3")
})

it("Node's own SQLite is refused where it opens no addresses, as in Node 22.14", () => {
  class DatabaseSync {
    constructor(path: string) {
      // SQLite reads the address as the name of a file then
      new BetterSqlite3(path).close()
    }
    close() {}
  }
  const module = vi.spyOn(process, "getBuiltinModule").mockImplementation(() => ({ DatabaseSync }))
  try {
    const { found, problems } = loadDrivers()
    assert.notInclude(found.map(([name]) => name), "node:sqlite")
    assert.match(problems, /node:sqlite: .*22\.15/)
  } finally {
    module.mockRestore()
  }
})

// node:sqlite is among them from Node 22.15 on
describe.each(loadDrivers().found)("SQLite by %s", (_name, open) => {
  it.scoped("binds by position and by name, and reads row after row", () =>
    Effect.gen(function*() {
      const db = open(yield* freshFile, "existing")
      db.exec("CREATE TABLE pairs (a TEXT, b INTEGER)")
      db.prepare("INSERT INTO pairs VALUES (?, ?)").run("x", 1)
      db.prepare("INSERT INTO pairs VALUES (:a, :b)").run({ a: null, b: 1_795_284_000_000 })
      const rows = [...db.prepare<{ a: string | null; b: number }>("SELECT * FROM pairs WHERE b > ?").iterate(0)]
      assert.deepStrictEqual(rows.map(({ a, b }) => [a, b]), [["x", 1], [null, 1_795_284_000_000]])
      assert.strictEqual(db.prepare("DELETE FROM pairs WHERE a = ? RETURNING b").get("nothing"), undefined)
      db.close()
    }))

  it.scoped("creates no file, and names a lock and a file that is no database", () =>
    Effect.gen(function*() {
      const path = yield* freshFile
      assert.match(codeOf(() => open(`${path}.missing`, "existing")), /SQLITE_CANTOPEN|ERR_SQLITE_ERROR/)
      const owner = open(path, "existing")
      owner.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT")
      const other = open(path, "existing")
      assert.strictEqual(codeOf(() => other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE")), "SQLITE_BUSY")
      for (const each of [other, owner]) each.close()
      writeFileSync(path, "these words are no database. ".repeat(100))
      const damaged = open(path, "existing")
      assert.strictEqual(codeOf(() => damaged.exec("PRAGMA journal_mode = WAL")), "SQLITE_NOTADB")
      damaged.close()
    }))

  it.scoped("reads what is left of a damaged file", () =>
    Effect.gen(function*() {
      const db = open(yield* freshFile, "damaged")
      db.exec("PRAGMA writable_schema = ON")
      assert.strictEqual(db.prepare<{ writable_schema: number }>("PRAGMA writable_schema").get()?.writable_schema, 1)
      db.close()
    }))
})
