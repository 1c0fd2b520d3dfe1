import { pathToFileURL } from "node:url"
import type { OpenSqlite, RowMode, SqliteConnection, SqliteStatement } from "./Connection.ts"
import { nameOfCode } from "./ErrorCodes.ts"
import { positional } from "./Parameters.ts"

/** Of node:sqlite as it is in Node 22.16 and 24, what is used here. The types in use are those of Node 20, which has none. */
interface StatementSync {
  readonly run: (...values: ReadonlyArray<unknown>) => { readonly changes: number | bigint }
  readonly get: (...values: ReadonlyArray<unknown>) => Values | undefined
  readonly all: (...values: ReadonlyArray<unknown>) => Array<Values>
  readonly iterate: (...values: ReadonlyArray<unknown>) => Iterable<Values>
  readonly columns: () => ReadonlyArray<{ readonly name: string }>
  readonly setReadBigInts: (enabled: boolean) => void
  readonly setReturnArrays: (enabled: boolean) => void
}

interface DatabaseSync {
  readonly isTransaction: boolean
  readonly prepare: (sql: string) => StatementSync
  readonly exec: (sql: string) => void
  readonly close: () => void
}

interface NodeSqlite {
  readonly DatabaseSync: new(
    path: string,
    options: { readonly readOnly?: boolean; readonly timeout?: number; readonly defensive?: boolean }
  ) => DatabaseSync
}

type Values = Array<unknown>

/** Gives an error of SQLite the `code` that better-sqlite3 gives it. */
const withCodes = <A>(run: () => A): A => {
  try {
    return run()
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ERR_SQLITE_ERROR") {
      Reflect.set(error, "code", nameOfCode(Number(Reflect.get(error, "errcode"))))
    }
    throw error
  }
}

/** node:sqlite would take an object for values by name, from Node 24 on a boolean for an integer, and refuse undefined. */
const toBindable = (value: unknown): unknown => {
  if (typeof value === "boolean" || (typeof value === "object" && value !== null)) {
    throw new TypeError("SQLite can only bind numbers, strings, bigints and null")
  }
  return value ?? null
}

const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, "code") === "ERR_OUT_OF_RANGE"

const toNumbers = (values: Values): Values => values.map((value) => (typeof value === "bigint" ? Number(value) : value))

/**
 * A function from a row's values to an object with its columns' names. node:sqlite's own objects have no prototype, and V8
 * keeps them as hash tables; objects that a loop fills change their shape with each column.
 */
const makeToObject = (names: ReadonlyArray<string>): (values: Values) => unknown => {
  const members = names.map((name, index) => `[${JSON.stringify(name)}]: values[${index}]`)
  // oxlint-disable-next-line typescript/no-implied-eval -- the names are those of our own statements, as JSON
  return new Function("values", `return {${members.join(", ")}}`) as (values: Values) => unknown
}

class Statement implements SqliteStatement {
  private names: ReadonlyArray<string>
  private toObject: ((values: Values) => unknown) | undefined
  private readsBigInts = false

  constructor(
    private readonly statement: StatementSync,
    sql: string,
    private readonly parameters: number | ReadonlyArray<string>,
    private readonly mode: RowMode
  ) {
    this.names = statement.columns().map(({ name }) => name)
    if (this.names.length === 0) return
    statement.setReturnArrays(true)
    if (/\bRETURNING\b/i.test(sql)) this.readBigInts() // it cannot run again, see `read`
  }

  get reader(): boolean {
    return this.names.length > 0
  }

  run(...values: ReadonlyArray<unknown>) {
    return withCodes(() => ({ changes: Number(this.statement.run(...this.bound(values)).changes) }))
  }

  get(...values: ReadonlyArray<unknown>): unknown {
    return this.read(() => {
      const row = this.statement.get(...this.bound(values))
      return row === undefined ? undefined : this.rowOf(row)
    })
  }

  all(...values: ReadonlyArray<unknown>): Array<unknown> {
    return this.read(() => this.statement.all(...this.bound(values)).map(this.rowOf))
  }

  /** An integer above 2^53 ends it with an error: select such columns as text. */
  *iterate(...values: ReadonlyArray<unknown>): Iterable<unknown> {
    const rows = withCodes(() => this.statement.iterate(...this.bound(values)))[Symbol.iterator]()
    try {
      for (let row = withCodes(() => rows.next()); row.done !== true; row = withCodes(() => rows.next())) {
        yield this.rowOf(row.value)
      }
    } finally {
      rows.return?.()
    }
  }

  /** Reads again with bigints when an integer is too large for a number; better-sqlite3 rounds it at once. */
  private read<A>(run: () => A): A {
    try {
      return withCodes(run)
    } catch (error) {
      if (this.readsBigInts || !isOutOfRange(error)) throw error
      this.readBigInts()
      return withCodes(run)
    }
  }

  private readBigInts(): void {
    this.readsBigInts = true
    this.statement.setReadBigInts(true)
  }

  private readonly rowOf = (row: Values): unknown => {
    const values = this.readsBigInts ? toNumbers(row) : row
    if (this.mode === "array") return values
    if (values.length !== this.names.length) {
      // another connection added columns to the table of a `SELECT *`
      this.names = this.statement.columns().map(({ name }) => name)
      this.toObject = undefined
    }
    this.toObject ??= makeToObject(this.names)
    return this.toObject(values)
  }

  private bound(values: ReadonlyArray<unknown>): ReadonlyArray<unknown> {
    const { parameters } = this
    if (typeof parameters === "number") {
      if (values.length === parameters) return values.map(toBindable)
      throw new RangeError(`Too ${values.length < parameters ? "few" : "many"} parameter values were provided`)
    }
    const [row] = values
    if (typeof row !== "object" || row === null) throw new TypeError("Missing named parameters")
    return parameters.map((name) => {
      const value: unknown = Reflect.get(row, name)
      if (value === undefined && !(name in row)) throw new RangeError(`Missing named parameter "${name}"`)
      return toBindable(value)
    })
  }
}

class Connection implements SqliteConnection {
  private readonly begin: StatementSync
  private readonly commit: StatementSync

  constructor(private readonly db: DatabaseSync) {
    this.begin = db.prepare("BEGIN IMMEDIATE")
    this.commit = db.prepare("COMMIT")
  }

  prepare<Parameters extends ReadonlyArray<unknown>, Row>(sql: string, mode: RowMode = "object") {
    const { parameters, text } = positional(sql)
    const statement = withCodes(() => new Statement(this.db.prepare(text), text, parameters, mode))
    return statement as SqliteStatement as SqliteStatement<Parameters, Row> // the caller names the types
  }

  exec(sql: string): void {
    withCodes(() => this.db.exec(sql))
  }

  transaction<A>(body: () => A): A {
    withCodes(() => this.begin.run())
    try {
      const result = body()
      withCodes(() => this.commit.run())
      return result
    } catch (error) {
      if (this.db.isTransaction) this.db.exec("ROLLBACK") // SQLite has rolled back by itself on a full disk
      throw error
    }
  }

  close(): void {
    this.db.close()
  }
}

/** Loads the module without the one warning by which Node 22 calls it experimental; others are emitted as ever. */
const loadModule = (): NodeSqlite | undefined => {
  const emitWarning: (...values: ReadonlyArray<never>) => void = process.emitWarning.bind(process)
  const isAboutSqlite = (warning: unknown, type: unknown) =>
    type === "ExperimentalWarning" && String(warning).startsWith("SQLite is an experimental feature")
  process.emitWarning = (...values: ReadonlyArray<unknown>) => {
    if (!isAboutSqlite(values[0], values[1])) Reflect.apply(emitWarning, process, values)
  }
  try {
    // the types are those of Node 20, which has no node:sqlite
    return process.getBuiltinModule("node:sqlite") as NodeSqlite | undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Loads node:sqlite. Throws where this Node.js has none, or an early one without rows as arrays. */
export const loadNodeSqlite = (): OpenSqlite => {
  const module = loadModule()
  if (module === undefined) throw new Error("no such module")
  const { DatabaseSync } = module
  const probe = new DatabaseSync(":memory:", {})
  const { columns, setReturnArrays } = probe.prepare("SELECT 1") as Partial<StatementSync> // of an early one
  probe.close()
  if (columns === undefined || setReturnArrays === undefined) throw new Error("this Node.js has an early one")
  return (path, { access, timeout }) =>
    new Connection(withCodes(() => {
      switch (access) {
        case "create":
          return new DatabaseSync(path, { timeout })
        case "existing": // rw: must exist
          return new DatabaseSync(`${pathToFileURL(path).href}?mode=rw`, { timeout })
        case "read":
          return new DatabaseSync(path, { timeout, readOnly: true })
        case "salvage":
          return new DatabaseSync(path, { timeout, readOnly: true, defensive: false })
      }
    }))
}
