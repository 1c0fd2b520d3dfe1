import { randomUUID } from "node:crypto"
import { canonicalTextOf, JsonArray, JsonObject, parse } from "../../domain/kernel/CanonicalJson.ts"
import type { SqliteConnection, SqliteStatement } from "../../sqlite/Connection.ts"
import { openSqlite } from "../../sqlite/Driver.ts"

/** Events that were written together: canonical texts joined by commas. */
export interface BufferRow {
  readonly id: number
  readonly events: number
  readonly bytes: number
  readonly body: string
}

type RowSize = Pick<BufferRow, "events" | "bytes">

/** A check of SQLite found damage. */
class DamagedFile extends Error {
  readonly code = "SQLITE_CORRUPT"
}

/** An accepted command. Without a status it has begun and not finished. */
export interface CommandEntry {
  readonly id: string
  readonly status: "success" | "failed" | null
  /** Canonical JSON text. */
  readonly result: string | null
  readonly error: string | null
  readonly claimToken: string | null
  /** Epoch milliseconds of the last change. */
  readonly at: number
  /** Whether the brain surely has the result. */
  readonly confirmed: boolean
}

type CommandRow = Omit<CommandEntry, "confirmed" | "claimToken"> & {
  readonly confirmed: number
  readonly claim_token: string | null
}

/** Counters stored in the file. */
export const lossCounters = ["evictedFrames", "rejectedFrames", "events"] as const
export type LossCounters = Record<typeof lossCounters[number], number>

const schema = `
  CREATE TABLE IF NOT EXISTS batches (id INTEGER PRIMARY KEY AUTOINCREMENT, events INTEGER NOT NULL, bytes INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS commands (
    id TEXT PRIMARY KEY, status TEXT, result TEXT, error TEXT, claim_token TEXT, at INTEGER NOT NULL, confirmed INTEGER NOT NULL
  ) WITHOUT ROWID;`

/**
 * Files of at most so many pages (16 MiB) are checked for damage when they are opened, which takes the host a
 * millisecond a megabyte. A longer file shows its damage when it is read. SQLite refuses one that is too short.
 */
const MAX_CHECKED_PAGES = 4096

/**
 * The SQLite file of one process: unacknowledged events, and commands with their results. The process holds its lock
 * while it is open, and the kernel releases the lock when the process dies. So a file that can be opened has no owner.
 * Methods throw SQLite's errors.
 */
export class BufferFile {
  /** Of all rows. */
  events = 0
  bytes = 0
  readonly id: string
  private isInTransaction = false
  private readonly insertRow: SqliteStatement
  private readonly deleteRow: SqliteStatement<[number], RowSize>
  private readonly deleteOldestRow: SqliteStatement<[], RowSize>
  private readonly selectRowsAfter: SqliteStatement<[number], BufferRow>
  private readonly upsertMeta: SqliteStatement
  private readonly upsertCommand: SqliteStatement

  private constructor(private readonly db: SqliteConnection) {
    this.insertRow = db.prepare("INSERT INTO batches (events, bytes, body) VALUES (?, ?, ?)")
    this.deleteRow = db.prepare("DELETE FROM batches WHERE id = ? RETURNING events, bytes")
    this.deleteOldestRow = db.prepare(
      "DELETE FROM batches WHERE id = (SELECT min(id) FROM batches) RETURNING events, bytes"
    )
    this.selectRowsAfter = db.prepare("SELECT id, events, bytes, body FROM batches WHERE id > ? ORDER BY id LIMIT 64")
    this.upsertMeta = db.prepare(
      "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    )
    this.upsertCommand = db.prepare(
      `INSERT INTO commands (id, status, result, error, claim_token, at, confirmed)
       VALUES (:id, :status, :result, :error, :claimToken, :at, :confirmed)
       ON CONFLICT (id) DO UPDATE SET status = excluded.status, result = excluded.result, error = excluded.error,
         claim_token = excluded.claim_token, at = excluded.at, confirmed = excluded.confirmed`
    )
    this.id = this.findMeta("buffer_id") ?? randomUUID()
    this.upsertMeta.run("buffer_id", this.id)
    this.recount()
  }

  /**
   * Opens an existing file, which may be empty. Throws SQLITE_BUSY while another process has it, other codes when it is
   * damaged.
   */
  static open(path: string): BufferFile {
    const db = openSqlite(path, { access: "existing", timeout: 0 })
    try {
      db.exec("PRAGMA locking_mode = EXCLUSIVE")
      db.exec("PRAGMA journal_mode = WAL")
      db.exec("PRAGMA synchronous = NORMAL")
      db.exec("PRAGMA journal_size_limit = 16777216")
      db.exec(`BEGIN IMMEDIATE; ${schema} COMMIT`)
      const pages = db.prepare<[], { page_count: number }>("PRAGMA page_count").get()?.page_count ?? 0
      const isLong = pages > MAX_CHECKED_PAGES
      const check = isLong ? undefined : db.prepare<[], { quick_check: string }>("PRAGMA quick_check(1)").get()
      if (check !== undefined && check.quick_check !== "ok") throw new DamagedFile(check.quick_check)
      const file = new BufferFile(db)
      if (isLong) file.listCommands() // damage shows here, where the file can still be set aside
      return file
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** In memory, where no file can be created. */
  static inMemory(): BufferFile {
    const db = openSqlite(":memory:", { access: "create", timeout: 0 })
    db.exec(schema)
    return new BufferFile(db)
  }

  /** Runs the work in one transaction, rolled back when it throws. The work may not call it again. */
  transaction<A>(work: () => A): A {
    // the drivers differ in what they do then
    if (this.isInTransaction) throw new Error("a transaction of the buffer was begun within another one")
    this.isInTransaction = true
    try {
      return this.db.transaction(work)
    } catch (error) {
      this.recount()
      throw error
    } finally {
      this.isInTransaction = false
    }
  }

  add(events: number, bytes: number, body: string): void {
    this.insertRow.run(events, bytes, body)
    this.events += events
    this.bytes += bytes
  }

  /** Removes a row, if it is there. */
  delete(id: number): void {
    this.subtractCounts(this.deleteRow.get(id))
  }

  /** Removes the oldest row and returns its number of events; 0 when there is no row. */
  deleteOldest(): number {
    const removed = this.deleteOldestRow.get()
    this.subtractCounts(removed)
    return removed?.events ?? 0
  }

  /** The rows after that one, oldest first, while `wanted` accepts them. */
  readAfter(after: number, accepts: (row: BufferRow) => boolean): ReadonlyArray<BufferRow> {
    const rows: Array<BufferRow> = []
    for (const row of this.selectRowsAfter.iterate(after)) {
      if (!accepts(row)) break
      rows.push(row)
    }
    return rows
  }

  /** The id of the newest row. */
  newestId(): number {
    return this.db.prepare<[], { id: number | null }>("SELECT max(id) AS id FROM batches").get()?.id ?? 0
  }

  findMeta(name: string): string | undefined {
    return this.db.prepare<[string], { value: string }>("SELECT value FROM meta WHERE name = ?").get(name)?.value
  }

  saveMeta(name: string, value: string): void {
    this.upsertMeta.run(name, value)
  }

  readLoss(): LossCounters {
    const read = (name: string) => Number(this.findMeta(name) ?? 0)
    return { evictedFrames: read("evictedFrames"), rejectedFrames: read("rejectedFrames"), events: read("events") }
  }

  listCommands(): ReadonlyArray<CommandEntry> {
    return this.db.prepare<[], CommandRow>("SELECT * FROM commands ORDER BY at").all()
      .map(({ claim_token, confirmed, ...entry }) => ({
        ...entry,
        claimToken: claim_token,
        confirmed: confirmed === 1
      }))
  }

  saveCommand(entry: CommandEntry): void {
    this.upsertCommand.run({ ...entry, confirmed: entry.confirmed ? 1 : 0 })
  }

  deleteCommand(id: string): void {
    this.db.prepare("DELETE FROM commands WHERE id = ?").run(id)
  }

  close(): void {
    this.db.close()
  }

  private subtractCounts(removed: RowSize | undefined): void {
    this.events -= removed?.events ?? 0
    this.bytes -= removed?.bytes ?? 0
  }

  private recount(): void {
    const all = this.db.prepare<[], { events: number; bytes: number }>(
      "SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes FROM batches"
    ).get()
    this.events = all?.events ?? 0
    this.bytes = all?.bytes ?? 0
  }
}

/**
 * The events of a body that can be sent, each as canonical text. Others are left out: they would make the whole frame
 * malformed or its signature invalid.
 */
export const parseEvents = (body: string): ReadonlyArray<string> => {
  const list = parse(`[${body}]`)
  if (list instanceof JsonArray && list.items.every(isObject)) {
    const texts = list.items.map(canonicalTextOf)
    if (texts.join(",") === body) return texts
  }
  return splitAtCommas(body).filter((piece) => {
    const node = parse(piece)
    return isObject(node) && canonicalTextOf(node) === piece
  })
}

const isObject = (node: unknown): node is JsonObject => node instanceof JsonObject

/**
 * The body split at the commas between its events. It need not be JSON; reading stops at an unmatched closing bracket.
 */
const splitAtCommas = (body: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let from = 0
  let depth = 0
  for (const { 0: token, index } of body.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/gs)) {
    if (token === "{" || token === "[") depth++
    else if (token === "}" || token === "]") depth--
    else if (token === "," && depth === 0) {
      pieces.push(body.slice(from, index))
      from = index + 1
    }
    if (depth < 0) return pieces
  }
  return [...pieces, body.slice(from)]
}

/** The readable rows of a damaged file. */
export const salvage = (path: string): ReadonlyArray<Omit<BufferRow, "id">> => {
  const rows: Array<Omit<BufferRow, "id">> = []
  try {
    const db = openSqlite(path, { access: "salvage", timeout: 0 })
    try {
      db.exec("PRAGMA writable_schema = ON") // without it SQLite refuses a file that is shorter than its header says
      const seen = new Set<number>()
      for (const order of ["ASC", "DESC"]) {
        try {
          for (const row of db.prepare<[], BufferRow>(`SELECT id, body FROM batches ORDER BY id ${order}`).iterate()) {
            if (seen.has(row.id)) break
            seen.add(row.id)
            const events = typeof row.body === "string" ? parseEvents(row.body) : []
            const body = events.join(",")
            if (events.length > 0) rows.push({ events: events.length, bytes: Buffer.byteLength(body), body })
          }
        } catch {
          continue // the rows before the damage are read; the other order may reach those behind it
        }
      }
    } finally {
      db.close()
    }
  } catch {
    return rows // not a database
  }
  return rows
}
