import { Data } from "effect"
import { randomBytes } from "node:crypto"
import { constants, link, lstat, open, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"

/** The destination exists. It is never overwritten. */
export class DestinationExists extends Data.TaggedError("DestinationExists")<{ readonly path: string }> {
  override get message() {
    return `${this.path} exists already, and a backup never replaces a file. Choose another name, or move it away.`
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

/** Whether something has this name; also a link to nothing. */
export const requireNoFile = async (path: string): Promise<void> => {
  const found = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null
    throw error
  })
  if (found !== null) throw new DestinationExists({ path })
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
}

/** The name says which process writes the file, so that a later one removes what a dead one left. */
const partialPathOf = (path: string): string => `${path}.partial-${process.pid}-${randomBytes(4).toString("hex")}`

/** Deletes the unfinished files of this destination whose processes are gone, and returns their names. */
export const removePartialFiles = async (path: string): Promise<ReadonlyArray<string>> => {
  const begin = `${basename(path)}.partial-`
  const removed: Array<string> = []
  for (const name of await readdir(dirname(path))) {
    const [, pid] = name.startsWith(begin) ? /^(\d+)-[0-9a-f]{8}$/.exec(name.slice(begin.length)) ?? [] : []
    if (pid === undefined || isRunning(Number(pid))) continue
    await rm(join(dirname(path), name), { force: true })
    removed.push(name)
  }
  return removed
}

/** So that the name survives a power failure. Some file systems do not allow it. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(dirname(path), constants.O_RDONLY).catch(() => null)
  try {
    await folder?.sync()
  } catch {
    return
  } finally {
    await folder?.close()
  }
}

/** The two ways of giving a file its name, of Node or of a test whose file system refuses one. */
export interface Naming {
  readonly link: (existing: string, name: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
}

/** How file systems such as exFAT, and many of a network or of FUSE, refuse a hard link. */
const linkRefusals: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/**
 * Gives the complete file its name by a hard link, because a rename would replace a file that another process created
 * since. Without hard links an empty file takes the name, if it is free, and the rename replaces that one.
 */
const publish = async (naming: Naming, partialPath: string, path: string): Promise<void> => {
  try {
    await naming.link(partialPath, path)
  } catch (error) {
    if (!linkRefusals.has(codeOf(error))) throw error
    await (await open(path, "wx", 0o600)).close()
    await naming.rename(partialPath, path).catch(async (cause: unknown) => {
      await rm(path, { force: true })
      throw cause
    })
  }
}

/**
 * Writes a new file of mode 0600, which appears under its name only when it is complete and on the disk. Returns the
 * file's bytes.
 */
export const writeNewFile = async (
  path: string,
  content: AsyncIterable<Uint8Array>,
  naming: Naming = { link, rename }
): Promise<number> => {
  await requireNoFile(path)
  const partialPath = partialPathOf(path)
  const file = await open(partialPath, "wx", 0o600)
  let bytes = 0
  try {
    try {
      for await (const chunk of content) {
        await file.writeFile(chunk)
        bytes += chunk.byteLength
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await publish(naming, partialPath, path).catch((error: unknown) => {
      throw codeOf(error) === "EEXIST" ? new DestinationExists({ path }) : error
    })
    return bytes
  } finally {
    await rm(partialPath, { force: true })
    await syncFolder(path)
  }
}
