import { randomUUID } from "node:crypto"
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { BufferFile, type BufferRow, salvage } from "./BufferFile.ts"
import { errorCodeOf, messageOf } from "./ErrorInfo.ts"
import type { Log } from "./Log.ts"

const isLocked = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(errorCodeOf(error))
export const isCorruption = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(errorCodeOf(error))

const CREATE_ATTEMPTS = 5

/** Removes a buffer and the files that SQLite has beside it. */
const removeFiles = (path: string): void => {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true })
}

type SalvagedRow = Omit<BufferRow, "id">

/** A file whose lock this process holds; the path is null for one in memory. */
export interface ClaimedBuffer {
  readonly file: BufferFile
  readonly path: string | null
}

/**
 * The folder with the buffers of all processes of one agent on this machine, a file each. A dead process's file is
 * taken over, since its lock is free.
 */
export class BufferFolder {
  private readonly pattern: RegExp

  /** `key` distinguishes the files of one agent from those of another in the same folder. */
  constructor(private readonly folder: string, private readonly key: string, private readonly log: Log) {
    this.pattern = new RegExp(`^${key}-[0-9a-f-]{36}\\.sqlite$`)
  }

  /** A file for this process: that of a dead process, else a new one, else one in memory, where none can be created. */
  claim(): ClaimedBuffer {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      const salvaged: Array<SalvagedRow> = []
      for (const path of this.paths()) {
        const file = this.open(path, salvaged)
        if (file !== null) return this.insertSalvaged(salvaged, { file, path })
      }
      return this.insertSalvaged(salvaged, this.create())
    } catch (error) {
      this.log(
        "error",
        `events cannot be buffered in ${this.folder} (${
          messageOf(error)
        }); they are kept in memory and are lost when the process ends. Set SVC_AGENT_HOME to a folder that this user can write`
      )
      return { file: BufferFile.inMemory(), path: null }
    }
  }

  /** The buffer of a dead process; null when there is none. */
  claimAbandoned(): ClaimedBuffer | null {
    const salvaged: Array<SalvagedRow> = []
    for (const path of existsSync(this.folder) ? this.paths() : []) {
      const file = this.open(path, salvaged)
      if (file !== null) return this.insertSalvaged(salvaged, { file, path })
      if (salvaged.length > 0) return this.insertSalvaged(salvaged, this.create())
    }
    return null
  }

  /** Sets a damaged file aside and returns a new one with its readable rows. */
  replace({ file, path }: ClaimedBuffer): ClaimedBuffer {
    try {
      file.close()
    } catch {
      // a damaged file may fail to close
    }
    const salvaged: Array<SalvagedRow> = []
    try {
      if (path !== null) this.quarantine(path, salvaged)
      return this.insertSalvaged(salvaged, this.create())
    } catch (error) {
      this.log(
        "error",
        `a new buffer cannot be created in ${this.folder} (${messageOf(error)}); events are kept in memory`
      )
      return this.insertSalvaged(salvaged, { file: BufferFile.inMemory(), path: null })
    }
  }

  /** Releases a file for another attempt. The readable rows of a damaged one are then in a new file. */
  release(claimed: ClaimedBuffer, problem: unknown): void {
    ;(isCorruption(problem) ? this.replace(claimed) : claimed).file.close()
  }

  /** Deletes the file while it is still locked, so that no other process takes it over. */
  remove({ file, path }: ClaimedBuffer): void {
    if (path !== null) rmSync(path, { force: true })
    file.close()
    if (path !== null) removeFiles(path)
  }

  private paths(): ReadonlyArray<string> {
    return readdirSync(this.folder).filter((name) => this.pattern.test(name)).sort().map((name) =>
      join(this.folder, name)
    )
  }

  private create(attempts = CREATE_ATTEMPTS): ClaimedBuffer {
    const path = join(this.folder, `${this.key}-${randomUUID()}.sqlite`)
    closeSync(openSync(path, "wx", 0o600)) // it has tasks' arguments
    try {
      return { file: BufferFile.open(path), path }
    } catch (error) {
      if (!isLocked(error)) removeFiles(path) // empty: each start on a full disk would leave one
      else if (attempts > 1) return this.create(attempts - 1) // another process found the new file first
      throw error
    }
  }

  private open(path: string, salvaged: Array<SalvagedRow>): BufferFile | null {
    try {
      const file = BufferFile.open(path)
      if (existsSync(path)) return file
      file.close() // the process that had the lock deleted the file
      return null
    } catch (error) {
      if (isLocked(error) || !existsSync(path)) return null
      if (isCorruption(error)) this.quarantine(path, salvaged)
      else this.log("warning", `the buffer ${path} cannot be opened (${messageOf(error)}); it is left as it is`)
      return null
    }
  }

  private quarantine(path: string, salvaged: Array<SalvagedRow>): void {
    const rows = salvage(path)
    salvaged.push(...rows)
    const quarantinePath = `${path}.damaged`
    renameSync(path, quarantinePath)
    for (const end of ["-wal", "-shm"]) if (existsSync(path + end)) renameSync(path + end, quarantinePath + end)
    const events = rows.reduce((sum, row) => sum + row.events, 0)
    const summary = events === 0 ? "no event in it could be read" : `${events} events could be read and are kept`
    this.log(
      "warning",
      `the buffer ${path} is damaged: ${summary}; it was set aside as ${quarantinePath} and may be deleted`
    )
  }

  private insertSalvaged(salvaged: ReadonlyArray<SalvagedRow>, claimed: ClaimedBuffer): ClaimedBuffer {
    const { file } = claimed
    if (salvaged.length > 0) {
      file.transaction(() => salvaged.forEach(({ body, bytes, events }) => file.add(events, bytes, body)))
    }
    return claimed
  }
}
