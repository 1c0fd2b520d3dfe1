import type BetterSqlite3 from "better-sqlite3"
import { from as copyFrom, type CopyStreamQuery } from "pg-copy-streams"
import type { TableColumns } from "../Backup/Archive.ts"
import { decodeLine } from "../Backup/CopyText.ts"
import { columnList, quoteName } from "../Backup/Rows.ts"
import type { PostgresConnection } from "../Database.ts"

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
const insertInto = (db: BetterSqlite3.Database, table: TableColumns) =>
  db.prepare<Array<string | null>>(
    `INSERT INTO ${quoteName(table.name)} (${columnList(table)}) VALUES (${table.columns.map(() => "?").join(", ")})`
  )

/** Inserts the lines of blocks. A block may end within a line, and within a character. */
export const makeSqliteLoader = (db: BetterSqlite3.Database): Loader => {
  let insert: ReturnType<typeof insertInto> | null = null
  let rest: Buffer = Buffer.alloc(0)
  let rows = 0
  return {
    begin: async (table) => {
      insert = insertInto(db, table)
      rest = Buffer.alloc(0)
      rows = 0
    },
    write: async (block) => {
      const end = block.lastIndexOf(10) + 1
      if (end === 0) {
        rest = Buffer.concat([rest, block])
        return
      }
      const text = Buffer.concat([rest, block.subarray(0, end - 1)]).toString("utf8")
      rest = Buffer.from(block.subarray(end))
      for (const line of text.split("\n")) {
        insert?.run(...decodeLine(line))
        rows++
      }
    },
    end: async () => rows,
    abort: async () => {}
  }
}

const waitUntilWritten = (stream: CopyStreamQuery, block: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.once("error", reject)
    stream.write(block, (error) => {
      stream.off("error", reject)
      if (error) reject(error)
      else resolve()
    })
  })

export const makePostgresLoader = (client: PostgresConnection): Loader => {
  let stream: CopyStreamQuery | null = null
  let failure: Promise<never> | null = null
  return {
    begin: async (table) => {
      const copy = client.query(
        copyFrom(`COPY ${quoteName(table.name)} (${columnList(table)}) FROM STDIN (ENCODING 'UTF8')`)
      )
      stream = copy
      // the server refuses a row before the next block is written
      failure = new Promise((_, reject) => copy.once("error", reject))
      failure.catch(() => {})
    },
    write: async (block) => {
      if (stream !== null && failure !== null) await Promise.race([waitUntilWritten(stream, block), failure])
    },
    end: async () => {
      const copy = stream
      stream = null
      if (copy === null || failure === null) return 0
      const finished = new Promise<void>((resolve) => copy.once("finish", () => resolve()))
      copy.end()
      await Promise.race([finished, failure])
      return copy.rowCount
    },
    abort: async (error) => {
      const copy = stream
      stream = null
      if (copy === null || copy.closed || copy.errored !== null) return
      const closed = new Promise<void>((resolve) => copy.once("close", () => resolve()))
      copy.on("error", () => {})
      copy.destroy(error)
      await closed
    }
  }
}
