import type { ReportProgress, TableColumns } from "../Backup/Archive.ts"
import { readArchiveFile } from "../Backup/ArchiveFile.ts"
import { readArchive, type VerifiedArchive } from "../Backup/ArchiveReader.ts"
import type { ArchiveLocation } from "../Backup/Verification.ts"
import type { Loader } from "./Loader.ts"

/** Writes the rows of the archive. Each table has as many as the summary says, or the restore fails. */
export const loadRows =
  (loader: Loader, location: ArchiveLocation, verified: VerifiedArchive, report: ReportProgress) =>
  async (): Promise<void> => {
    const { manifest, summary } = verified
    const tables = new Map(manifest.tables.map((table) => [table.name, table]))
    let current: TableColumns | null = null
    const finish = async () => {
      if (current === null) return
      const { name } = current
      current = null
      const [rows, expected] = [await loader.end(), summary.tables.find((table) => table.name === name)?.rows]
      if (rows !== expected) throw new Error(`${name} has ${rows} rows, and the archive ${expected}`)
    }
    try {
      const read = await readArchive(readArchiveFile(location.path, location.encryption), {
        onRows: async (name, block) => {
          const table = tables.get(name)
          if (table === undefined) return
          if (current !== table) {
            await finish()
            await loader.begin(table)
            current = table
          }
          await loader.write(block)
        },
        report
      })
      await finish()
      if (read.summary.sha256 !== summary.sha256) throw new Error("the archive was replaced while it was read")
    } catch (error) {
      await loader.abort(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  }
