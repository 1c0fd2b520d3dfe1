import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Clock, Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import { basename, dirname, join } from "node:path"

interface Replacement<E, R> {
  readonly path: string
  readonly text: string
  /** Runs once the text is on the disk, with the path of that file. If it fails, the file at `path` stays as it was. */
  readonly beforeRename?: (temporaryPath: string) => Effect.Effect<unknown, E, R>
}

/** A path in the same folder that no other process uses. */
export const makeTemporaryPath = (path: string): string => `${path}.new-${randomBytes(4).toString("hex")}`

/** A temporary file is in use for milliseconds. A process that stood still longer fails to rename it, and tries again. */
const leftoverMillis = 60_000

/** Removes the temporary files that killed processes left beside `path`: those older than one minute. */
export const removeLeftovers = (path: string): Effect.Effect<void, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const before = (yield* Clock.currentTimeMillis) - leftoverMillis
    for (const name of yield* fs.readDirectory(dirname(path))) {
      if (!name.startsWith(`${basename(path)}.new-`)) continue
      const temporaryPath = join(dirname(path), name)
      const { mtime } = yield* fs.stat(temporaryPath)
      if (Option.exists(mtime, (time) => time.getTime() < before)) yield* fs.remove(temporaryPath, { force: true })
    }
  }).pipe(Effect.ignore) // there is no folder yet, or another process removes them too

/**
 * Replaces a file that only its owner may read: other processes, and the next one after a loss of power, find the old
 * text or the new one. On return the new text is on the disk.
 */
export const replaceFile = <E = never, R = never>(
  { beforeRename = () => Effect.void, path, text }: Replacement<E, R>
): Effect.Effect<void, E | PlatformError, R | FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const temporaryPath = makeTemporaryPath(path)
    const write = Effect.scoped(Effect.gen(function*() {
      const file = yield* fs.open(temporaryPath, { flag: "w", mode: 0o600 })
      // the platform takes a write of 0 bytes for a failure, as on a full disk
      if (text !== "") yield* file.writeAll(Buffer.from(text, "utf8"))
      yield* file.sync
    }))
    yield* removeLeftovers(path)
    yield* write.pipe(
      Effect.zipRight(Effect.suspend(() => beforeRename(temporaryPath))),
      Effect.zipRight(fs.rename(temporaryPath, path)),
      // `force`: the open may have failed
      Effect.onError(() => Effect.ignore(fs.remove(temporaryPath, { force: true })))
    )
    // the rename is in the folder; Windows opens no folders
    if (process.platform !== "win32") {
      yield* Effect.scoped(Effect.flatMap(fs.open(dirname(path), { flag: "r" }), (folder) => folder.sync))
    }
  })
