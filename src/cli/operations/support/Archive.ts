import { Data, Effect } from "effect"
import { open, rm } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { pack } from "tar-stream"

/** The archive cannot be written. */
export class ArchiveFailed extends Data.TaggedError("ArchiveFailed")<{ readonly cause: unknown }> {
  get isThere(): boolean {
    return this.cause instanceof Error && "code" in this.cause && this.cause.code === "EEXIST"
  }
}

/** Writes a new .tar.gz of these files, readable by its owner only. Removes what it wrote if it fails. */
export const writeArchive = (path: string, files: ReadonlyMap<string, string>, now: Date) =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(path, "wx", 0o600)
      try {
        const archive = pack()
        const written = pipeline(archive, createGzip(), file.createWriteStream())
        for (const [name, text] of files) archive.entry({ name: `svc-support/${name}`, mode: 0o600, mtime: now }, text)
        archive.finalize()
        await written
      } catch (error) {
        await rm(path, { force: true })
        throw error
      }
    },
    catch: (cause) => new ArchiveFailed({ cause })
  })
