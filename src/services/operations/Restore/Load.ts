import { type CopyStreamQuery, from as copyFrom } from "pg-copy-streams"
import type { SqliteConnection } from "../../../sqlite/Connection.ts"
import type { PostgresConnection } from "../../kernel/sql/Database.ts"
import type { ReportProgress, TableColumns } from "../Backup/Archive.ts"
import { readArchiveFile } from "../Backup/ArchiveFile.ts"
import { readArchive, type VerifiedArchive } from "../Backup/ArchiveReader.ts"
import { decodeLine } from "../Backup/CopyText.ts"
import { columnList, quoteName } from "../Backup/Rows.ts"
import type { ArchiveLocation } from "../Backup/Verification.ts"

/** Writes the rows of one table, blocks of whole lines, within a transaction. Returns their number. */
type LoadTable = (table: TableColumns, blocks: AsyncIterable<Buffer>) => Promise<number>

/** Text becomes a number again by the column's affinity (https://www.sqlite.org/datatype3.html), with all its digits. */
export const loadSqlite = (db: SqliteConnection): LoadTable => async (table, blocks) => {
  const insert = db.prepare<Array<string | null>>(
    `INSERT INTO ${quoteName(table.name)} (${columnList(table)}) VALUES (${table.columns.map(() => "?").join(", ")})`
  )
  let rows = 0
  for await (const block of blocks) {
    for (const line of block.toString("utf8", 0, block.length - 1).split("\n")) {
      insert.run(...decodeLine(line))
      rows++
    }
  }
  return rows
}

/** Once the server has refused a COPY, pg-copy-streams must not be written to, ended or destroyed: it would throw. */
const copyBlocks = async (copy: CopyStreamQuery, blocks: AsyncIterable<Buffer>): Promise<number> => {
  let isRefused = false
  const refusal = new Promise<never>((_, reject) =>
    copy.on("error", (error: Error) => {
      isRefused = true
      reject(error)
    })
  )
  refusal.catch(() => {})
  const unlessRefused = async (act: (done: () => void) => void): Promise<void> =>
    isRefused ? refusal : Promise.race([refusal, new Promise<void>(act)])
  try {
    for await (const block of blocks) await unlessRefused((done) => copy.write(block, done))
    await unlessRefused((done) => copy.once("finish", done).end())
    return copy.rowCount
  } catch (error) {
    if (!isRefused) {
      const closed = new Promise<void>((resolve) => copy.once("close", resolve))
      copy.destroy(error instanceof Error ? error : new Error(String(error)))
      await closed // the transaction can be rolled back from here on
    }
    throw error
  }
}

export const loadPostgres = (client: PostgresConnection): LoadTable => (table, blocks) =>
  copyBlocks(
    client.query(copyFrom(`COPY ${quoteName(table.name)} (${columnList(table)}) FROM STDIN (ENCODING 'UTF8')`)),
    blocks
  )

export interface LoadRequest {
  readonly location: ArchiveLocation
  readonly verified: VerifiedArchive
  readonly report: ReportProgress
}

/** Writes all rows of a verified archive. Each table has as many as its summary says, or the restore fails. */
export const loadRows = async (
  loadTable: LoadTable,
  { location: { encryption, path }, report, verified: { summary } }: LoadRequest
): Promise<void> => {
  const read = await readArchive(readArchiveFile(path, encryption), {
    takeRows: async (table, blocks) => {
      const rows = await loadTable(table, blocks)
      const expected = summary.tables.find(({ name }) => name === table.name)?.rows
      if (rows !== expected) throw new Error(`${table.name} has ${rows} rows, and the archive ${expected}`)
    },
    report
  })
  if (read.summary.sha256 !== summary.sha256) throw new Error("the archive was replaced while it was read")
}
