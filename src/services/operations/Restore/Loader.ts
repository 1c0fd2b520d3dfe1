import { type CopyStreamQuery, from as copyFrom } from "pg-copy-streams"
import type { SqliteConnection } from "../../../sqlite/Connection.ts"
import type { PostgresConnection } from "../../kernel/sql/Database.ts"
import type { TableColumns } from "../Backup/Archive.ts"
import { decodeLine } from "../Backup/CopyText.ts"
import { columnList, quoteName } from "../Backup/Rows.ts"

/** Writes the blocks of one table after the other, within a transaction. */
export interface Loader {
  readonly begin: (table: TableColumns) => Promise<void>
  readonly write: (block: Buffer) => Promise<void>
  /** Ends the table, and returns its rows. */
  readonly end: () => Promise<number>
  /** Gives the table up, so that the transaction can be rolled back. */
  readonly abort: (error: Error) => Promise<void>
}

/** Text becomes a number again by the column's affinity (https://www.sqlite.org/datatype3.html), with all its digits. */
const insertInto = (db: SqliteConnection, table: TableColumns) =>
  db.prepare<Array<string | null>>(
    `INSERT INTO ${quoteName(table.name)} (${columnList(table)}) VALUES (${table.columns.map(() => "?").join(", ")})`
  )

/** Inserts the lines of blocks. A block may end within a line, and within a character. */
export const makeSqliteLoader = (db: SqliteConnection): Loader => {
  let insert: ReturnType<typeof insertInto> | null = null
  let rest: Array<Buffer> = []
  let rows = 0
  return {
    begin: async (table) => {
      insert = insertInto(db, table)
      rest = []
      rows = 0
    },
    write: async (block) => {
      const end = block.lastIndexOf(10) + 1
      if (end === 0) {
        rest.push(block)
        return
      }
      const text = Buffer.concat([...rest, block.subarray(0, end - 1)]).toString("utf8")
      rest = [block.subarray(end)]
      for (const line of text.split("\n")) {
        insert?.run(...decodeLine(line))
        rows++
      }
    },
    end: async () => rows,
    abort: async () => {}
  }
}

/** One COPY. Once the server has refused it, pg-copy-streams must not be written to, ended or destroyed: it would throw. */
class CopyIn {
  private refusal: Error | null = null
  private readonly rejection: Promise<never>

  constructor(private readonly stream: CopyStreamQuery) {
    this.rejection = new Promise((_, reject) =>
      stream.on("error", (error: Error) => {
        this.refusal ??= error
        reject(error)
      })
    )
    this.rejection.catch(() => {})
  }

  async write(block: Buffer): Promise<void> {
    if (this.refusal !== null) throw this.refusal
    const written = new Promise<void>((resolve) => this.stream.write(block, () => resolve()))
    await Promise.race([written, this.rejection])
  }

  async end(): Promise<number> {
    if (this.refusal !== null) throw this.refusal
    const finished = new Promise<void>((resolve) => this.stream.once("finish", () => resolve()))
    this.stream.end()
    await Promise.race([finished, this.rejection])
    return this.stream.rowCount
  }

  async abort(error: Error): Promise<void> {
    if (this.refusal !== null) return
    const closed = new Promise<void>((resolve) => this.stream.once("close", () => resolve()))
    this.stream.destroy(error)
    await closed
  }
}

export const makePostgresLoader = (client: PostgresConnection): Loader => {
  let copy: CopyIn | null = null
  return {
    begin: async (table) => {
      const text = `COPY ${quoteName(table.name)} (${columnList(table)}) FROM STDIN (ENCODING 'UTF8')`
      copy = new CopyIn(client.query(copyFrom(text)))
    },
    write: async (block) => {
      await copy?.write(block)
    },
    end: async () => {
      const rows = await copy?.end()
      copy = null
      return rows ?? 0
    },
    abort: async (error) => {
      await copy?.abort(error)
      copy = null
    }
  }
}
