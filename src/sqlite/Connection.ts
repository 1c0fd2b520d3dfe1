/** The part of a SQLite driver that the program uses: what better-sqlite3 and node:sqlite can both do. */

/** Rows as objects by their columns' names, or as arrays of their values. */
export type RowMode = "object" | "array"

/**
 * Integers are read as numbers, which lose digits above 2^53. Bound values are texts, numbers, bigints and null, by
 * position or as one object by name; undefined is NULL. Errors of SQLite have the name of its result code as `code`
 * ("SQLITE_BUSY"); a value of another type is a TypeError, too few or too many values are a RangeError.
 */
export interface SqliteStatement<Parameters extends ReadonlyArray<unknown> = ReadonlyArray<unknown>, Row = unknown> {
  /** Whether the statement yields rows. */
  readonly reader: boolean
  readonly run: (...parameters: Parameters) => { readonly changes: number }
  readonly get: (...parameters: Parameters) => Row | undefined
  readonly all: (...parameters: Parameters) => Array<Row>
  readonly iterate: (...parameters: Parameters) => Iterable<Row>
}

export interface SqliteConnection {
  readonly prepare: <Parameters extends ReadonlyArray<unknown> = ReadonlyArray<unknown>, Row = unknown>(
    sql: string,
    mode?: RowMode
  ) => SqliteStatement<Parameters, Row>
  /** Runs any number of statements without values. */
  readonly exec: (sql: string) => void
  /** Runs `body` in one immediate transaction, which is rolled back when it throws. Not within another one. */
  readonly transaction: <A>(body: () => A) => A
  readonly close: () => void
}

export interface OpenOptions {
  /**
   * `create` makes a missing file, `existing` refuses one; both write. `read` only reads. `salvage` reads what is left of
   * a damaged file: it may set `writable_schema`.
   */
  readonly access: "create" | "existing" | "read" | "salvage"
  /** Milliseconds to wait for another connection's lock. */
  readonly timeout: number
}

export type OpenSqlite = (path: string, options: OpenOptions) => SqliteConnection
