import { randomUUID } from "node:crypto"
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { BufferFile, type Row, salvage } from "./BufferFile.ts"
import type { Log } from "./Log.ts"

export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

const isTaken = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(codeOf(error))

const FRESH_ATTEMPTS = 5

type Rescued = Omit<Row, "id">

/** A file that this process holds; the path is null for one in memory. */
export interface Claimed {
  readonly file: BufferFile
  readonly path: string | null
}

/**
 * The folder of the buffers of all processes of one agent on this machine, a file each. What a dead process left is
 * taken over, since nobody holds its lock any more.
 */
export class BufferFolder {
  private readonly pattern: RegExp

  /** `key` tells the files of one agent from those of another in the same folder. */
  constructor(private readonly folder: string, private readonly key: string, private readonly log: Log) {
    this.pattern = new RegExp(`^${key}-[0-9a-f-]{36}\\.sqlite$`)
  }

  /** A file of this process: one that a dead process left, else a new one, else, where none can be made, in memory. */
  claim(): Claimed {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      const rescued: Array<Rescued> = []
      for (const path of this.paths()) {
        const file = this.open(path, rescued)
        if (file !== null) return this.with(rescued, { file, path })
      }
      return this.with(rescued, this.fresh())
    } catch (error) {
      this.log("error", `events cannot be buffered in ${this.folder} (${describe(error)}); they are kept in memory, and lost when the process ends`)
      return { file: BufferFile.inMemory(), path: null }
    }
  }

  /** A buffer that another, dead process left; null when there is none. */
  claimNext(): Claimed | null {
    const rescued: Array<Rescued> = []
    for (const path of existsSync(this.folder) ? this.paths() : []) {
      const file = this.open(path, rescued)
      if (file !== null) return this.with(rescued, { file, path })
      if (rescued.length > 0) return this.with(rescued, this.fresh())
    }
    return null
  }

  /** Sets a damaged file aside and answers a new one with all that could be read of it. */
  replace({ file, path }: Claimed): Claimed {
    try {
      file.close()
    } catch {
      // it is damaged: whether it closes well is of no interest
    }
    const rescued: Array<Rescued> = []
    try {
      if (path !== null) this.setAside(path, rescued)
      return this.with(rescued, this.fresh())
    } catch (error) {
      this.log("error", `a new buffer cannot be made in ${this.folder} (${describe(error)}); events are kept in memory`)
      return this.with(rescued, { file: BufferFile.inMemory(), path: null })
    }
  }

  /** Gives a file back for another attempt; what can be read of a damaged one is in a new file then. */
  leave(claimed: Claimed, problem: unknown): void {
    (isDamage(problem) ? this.replace(claimed) : claimed).file.close()
  }

  /** Deletes it while it is still locked: nobody can take a file that is about to go. */
  remove({ file, path }: Claimed): void {
    if (path !== null) rmSync(path, { force: true })
    file.close()
    if (path !== null) for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true })
  }

  private paths(): ReadonlyArray<string> {
    return readdirSync(this.folder).filter((name) => this.pattern.test(name)).sort().map((name) => join(this.folder, name))
  }

  private fresh(attempts = FRESH_ATTEMPTS): Claimed {
    const path = join(this.folder, `${this.key}-${randomUUID()}.sqlite`)
    closeSync(openSync(path, "wx", 0o600)) // tasks' arguments are nobody else's business
    try {
      return { file: BufferFile.open(path), path }
    } catch (error) {
      if (isTaken(error) && attempts > 1) return this.fresh(attempts - 1) // another process was quicker to find it
      throw error
    }
  }

  private open(path: string, rescued: Array<Rescued>): BufferFile | null {
    try {
      const file = BufferFile.open(path)
      if (existsSync(path)) return file
      file.close() // the process that had it deleted it while we waited at the door
      return null
    } catch (error) {
      if (isTaken(error) || !existsSync(path)) return null
      if (isDamage(error)) this.setAside(path, rescued)
      else this.log("warning", `the buffer ${path} cannot be opened (${describe(error)}); it is left as it is`)
      return null
    }
  }

  private setAside(path: string, rescued: Array<Rescued>): void {
    const rows = salvage(path)
    rescued.push(...rows)
    const aside = `${path}.damaged`
    renameSync(path, aside)
    for (const end of ["-wal", "-shm"]) if (existsSync(path + end)) renameSync(path + end, aside + end)
    const events = rows.reduce((sum, row) => sum + row.events, 0)
    const saved = events === 0 ? "nothing in it could be read" : `${events} events could be read and are kept`
    this.log("warning", `the buffer ${path} is damaged: ${saved}; it was set aside as ${aside} and may be deleted`)
  }

  private with(rescued: ReadonlyArray<Rescued>, claimed: Claimed): Claimed {
    const { file } = claimed
    if (rescued.length > 0) file.transaction(() => rescued.forEach(({ body, bytes, events }) => file.add(events, bytes, body)))
    return claimed
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))
