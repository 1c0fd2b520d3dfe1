import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { OpenSqlite, SqliteConnection } from "../../src/sqlite/Connection.ts"

/** A file whose name a URL would have to escape, and what opens it. */
interface Place {
  readonly file: string
  readonly open: OpenSqlite
}

const rw = { access: "create", timeout: 0 } as const

const withTable = ({ file, open }: Place): SqliteConnection => {
  const db = open(file, rw)
  db.exec("CREATE TABLE pairs (a TEXT UNIQUE, b INTEGER CHECK (b IS NULL OR b <> 13))")
  return db
}

const hasCode = (pattern: RegExp) => (error: unknown) => {
  assert(error instanceof Error)
  assert.match(String(Reflect.get(error, "code")), pattern)
  return true
}

/** What the program needs of a driver, by title. Each has a folder of its own. */
export const checks: Readonly<Record<string, (place: Place) => void>> = {
  "binds by position and by name, null and undefined alike": (place) => {
    const db = withTable(place)
    assert.equal(db.prepare("INSERT INTO pairs VALUES (?, ?)").run("x", 1).changes, 1)
    db.prepare("INSERT INTO pairs VALUES (:a, @b)").run({ a: undefined, b: 1_795_284_000_000, more: true })
    db.prepare("INSERT INTO pairs VALUES (?, ?)").run("y", undefined)
    db.prepare("UPDATE pairs SET b = @b WHERE a = @a AND @a <> ':none' -- not @c\n").run({
      b: 9_007_199_254_740_993n,
      a: "y"
    })
    const rows = db.prepare("SELECT a, CAST(b AS TEXT) AS b FROM pairs ORDER BY rowid").all()
    assert.deepEqual(rows, [{ a: "x", b: "1" }, { a: null, b: "1795284000000" }, { a: "y", b: "9007199254740993" }])
  },
  "refuses values of other types, too few, too many, and a name without a value": (place) => {
    const insert = withTable(place).prepare("INSERT INTO pairs VALUES (?, ?)")
    assert.throws(() => insert.run(true, 1), TypeError)
    assert.throws(() => insert.run({}, 1), (error) => error instanceof TypeError || error instanceof RangeError)
    assert.throws(() => insert.run("x"), RangeError)
    assert.throws(() => insert.run("x", 1, 2), RangeError)
    const named = place.open(place.file, rw).prepare("INSERT INTO pairs VALUES (@a, @b)")
    assert.throws(() => named.run({ a: "x" }), RangeError)
    assert.throws(() => named.run(), (error) => error instanceof TypeError || error instanceof RangeError)
  },
  "gives rows as objects with a prototype, as arrays, one by one, and none": (place) => {
    const db = withTable(place)
    db.exec("INSERT INTO pairs VALUES ('x', 1), ('y', NULL)")
    const sql = "SELECT a, b, 0.5 AS \"a b\" FROM pairs ORDER BY a"
    const rows = [{ a: "x", b: 1, "a b": 0.5 }, { a: "y", b: null, "a b": 0.5 }]
    assert.deepEqual(db.prepare(sql).all(), rows) // strict: also of prototypes
    assert.deepEqual([...db.prepare(sql).iterate()], rows)
    assert.deepEqual(db.prepare(sql).get(), rows[0])
    assert.deepEqual(db.prepare(sql, "array").all(), rows.map((row) => Object.values(row)))
    assert.deepEqual([...db.prepare(sql, "array").iterate()][1], ["y", null, 0.5])
    assert.equal(db.prepare("SELECT a FROM pairs WHERE a = ?").get("z"), undefined)
    assert.deepEqual(db.prepare("DELETE FROM pairs WHERE a = ? RETURNING b").get("x"), { b: 1 })
    for (const row of db.prepare(sql).iterate()) assert.deepEqual(row, rows[1])
  },
  "says which statements yield rows": (place) => {
    const db = withTable(place)
    const readers = [
      "SELECT 1",
      "PRAGMA user_version",
      "DELETE FROM pairs RETURNING a",
      "WITH one AS (SELECT 1) SELECT * FROM one"
    ]
    const others = ["DELETE FROM pairs", "BEGIN", "CREATE TABLE t (a)"]
    for (const mode of ["object", "array"] as const) {
      for (const sql of readers) assert.equal(db.prepare(sql, mode).reader, true, sql)
      for (const sql of others) assert.equal(db.prepare(sql, mode).reader, false, sql)
    }
  },
  "a breaking loop ends its statement, and others may read meanwhile": (place) => {
    const db = withTable(place)
    db.exec("INSERT INTO pairs VALUES ('x', 1), ('y', 2), ('z', 3)")
    const select = db.prepare("SELECT a FROM pairs ORDER BY a")
    for (const row of select.iterate()) {
      assert.deepEqual(row, { a: "x" })
      assert.deepEqual(db.prepare("SELECT count(*) AS n FROM pairs").get(), { n: 3 })
      break
    }
    db.exec("DROP TABLE pairs") // refused while a statement reads
    db.close()
  },
  "reads integers above 2^53 as the nearest number, also of what it writes": (place) => {
    const db = withTable(place)
    db.prepare("INSERT INTO pairs VALUES ('x', ?)").run(9_007_199_254_740_993n)
    const select = db.prepare("SELECT b FROM pairs WHERE a = ?")
    for (const _ of [1, 2]) assert.deepEqual(select.all("x"), [{ b: 9_007_199_254_740_992 }])
    assert.deepEqual(db.prepare("UPDATE pairs SET b = b + 2 RETURNING b").get(), { b: 9_007_199_254_740_996 })
    assert.deepEqual(db.prepare("SELECT CAST(b AS TEXT) AS b FROM pairs").get(), { b: "9007199254740995" })
  },
  "keeps texts with surrogates, and of a megabyte": (place) => {
    const db = withTable(place)
    const texts = ["\u{1f980}", "x".repeat(1 << 20), ""]
    for (const text of texts) db.prepare("INSERT INTO pairs (a) VALUES (?)").run(text)
    assert.deepEqual(db.prepare("SELECT a FROM pairs ORDER BY rowid", "array").all().flat(), texts)
  },
  "a transaction commits, or is rolled back when its body throws": (place) => {
    const db = withTable(place)
    const insert = db.prepare("INSERT INTO pairs VALUES (?, 1)")
    assert.equal(db.transaction(() => insert.run("x").changes), 1)
    const failure = new Error("of the body")
    assert.throws(() =>
      db.transaction(() => {
        insert.run("y")
        throw failure
      }), failure)
    assert.throws(() => db.transaction(() => [insert.run("z"), insert.run("z")]), hasCode(/^SQLITE_CONSTRAINT_UNIQUE$/))
    assert.throws(() =>
      db.transaction(() => {
        db.exec("ROLLBACK") // as SQLite does on a full disk
        throw failure
      }), failure)
    assert.deepEqual(db.prepare("SELECT a FROM pairs").all(), [{ a: "x" }])
    const other = place.open(place.file, rw)
    db.transaction(() => assert.throws(() => other.transaction(() => 1), hasCode(/^SQLITE_BUSY$/)))
    assert.equal(other.transaction(() => 2), 2)
  },
  "names what went wrong": (place) => {
    const db = withTable(place)
    db.exec(
      "CREATE TABLE keys (id INTEGER PRIMARY KEY, a TEXT NOT NULL REFERENCES pairs (a)) STRICT; PRAGMA foreign_keys = ON"
    )
    db.exec("INSERT INTO pairs VALUES ('x', 1); INSERT INTO keys VALUES (1, 'x')")
    const expectRefusal = (sql: string, code: RegExp) => {
      assert.throws(() => db.exec(sql), hasCode(code), sql)
      assert.throws(() => db.prepare(sql).run(), hasCode(code), sql)
    }
    expectRefusal("INSERT INTO pairs VALUES ('x', 1)", /^SQLITE_CONSTRAINT_UNIQUE$/)
    expectRefusal("INSERT INTO keys VALUES (1, 'x')", /^SQLITE_CONSTRAINT_PRIMARYKEY$/)
    expectRefusal("INSERT INTO keys VALUES (2, 'y')", /^SQLITE_CONSTRAINT_FOREIGNKEY$/)
    expectRefusal("INSERT INTO keys VALUES (2, NULL)", /^SQLITE_CONSTRAINT_NOTNULL$/)
    expectRefusal("INSERT INTO pairs VALUES ('y', 13)", /^SQLITE_CONSTRAINT_CHECK$/)
    expectRefusal("SELECT nothing", /^SQLITE_ERROR$/)
    assert.throws(() => db.prepare("SELECT b FROM nowhere"), /no such table: nowhere/)
  },
  "names a lock, a missing file, a read-only connection, and a file that is no database": (place) => {
    const { file, open } = place
    assert.throws(() => open(file, { access: "existing", timeout: 0 }), hasCode(/^SQLITE_CANTOPEN$/))
    assert.throws(() => open(file, { access: "read", timeout: 0 }), hasCode(/^SQLITE_CANTOPEN$/))
    const owner = withTable(place)
    const reader = open(file, { access: "read", timeout: 0 })
    assert.throws(() => reader.exec("DELETE FROM pairs"), hasCode(/^SQLITE_READONLY$/))
    reader.close()
    owner.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT")
    const other = open(file, { access: "existing", timeout: 0 })
    assert.throws(() => other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE"), hasCode(/^SQLITE_BUSY$/))
    for (const each of [other, owner]) each.close()
    writeFileSync(file, "these words are no database. ".repeat(100))
    const damaged = open(file, { access: "existing", timeout: 0 })
    assert.throws(() => damaged.exec("PRAGMA journal_mode = WAL"), hasCode(/^SQLITE_NOTADB$/))
    damaged.close()
  },
  "salvages: the schema of a damaged file may be written": (place) => {
    withTable(place).close()
    const db = place.open(place.file, { access: "salvage", timeout: 0 })
    db.exec("PRAGMA writable_schema = ON")
    assert.deepEqual(db.prepare("PRAGMA writable_schema").get(), { writable_schema: 1 })
    db.close()
  },
  "a statement that selects all columns follows a changed table, at the latest with its second run": (place) => {
    const db = withTable(place)
    db.exec("INSERT INTO pairs VALUES ('x', 1)")
    const select = db.prepare("SELECT * FROM pairs")
    assert.deepEqual(select.get(), { a: "x", b: 1 })
    place.open(place.file, rw).exec("ALTER TABLE pairs ADD COLUMN c TEXT DEFAULT 'new'")
    select.all()
    assert.deepEqual(select.all(), [{ a: "x", b: 1, c: "new" }])
  },
  "has what the schema and the queries use": ({ open }) => {
    const db = open(":memory:", rw)
    const value = (sql: string) => db.prepare<[], ReadonlyArray<unknown>>(sql, "array").get()?.[0]
    assert.equal(value("SELECT group_concat(value ->> 'a', '+') FROM json_each('[{\"a\":1},{\"a\":2}]')"), "1+2")
    assert.equal(value("SELECT json_extract('{\"a\":[1,2]}', '$.a[1]')"), 2)
    assert.equal(value("SELECT round(log2(8))"), 3)
    db.exec(
      "CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'trigram'); INSERT INTO words VALUES ('a sentence')"
    )
    assert.equal(value("SELECT text FROM words WHERE text LIKE '%nten%'"), "a sentence")
    assert.equal(value("PRAGMA mmap_size = 1073741824"), undefined) // of a database in memory
  }
}

/** Runs each check with a driver; the result has what each of them threw, null where nothing. */
export const runChecks = (open: OpenSqlite): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    Object.entries(checks).map(([title, check]) => {
      const folder = mkdtempSync(join(tmpdir(), "svc-sqlite-"))
      try {
        check({ file: join(folder, "a #1? 100%.sqlite"), open })
        return [title, null]
      } catch (error) {
        return [title, String(error instanceof Error ? error.stack : error)]
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  )
