import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect } from "effect"
import { dirname } from "node:path"

interface Replacement<E, R> {
  readonly path: string
  readonly text: string
  /** In the same folder. No other process may use it. */
  readonly temporaryPath: string
  /** Runs once the text is on the disk. If it fails, the file stays as it was. */
  readonly beforeRename: Effect.Effect<unknown, E, R>
}

/**
 * Replaces a file that only its owner may read: other processes, and the next one after a loss of power, find the old
 * text or the new one. On return the new text is on the disk.
 */
export const replaceFile = <E, R>(
  { beforeRename, path, temporaryPath, text }: Replacement<E, R>
): Effect.Effect<void, E | PlatformError, R | FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const write = Effect.scoped(Effect.gen(function*() {
      const file = yield* fs.open(temporaryPath, { flag: "w", mode: 0o600 })
      yield* file.writeAll(Buffer.from(text, "utf8"))
      yield* file.sync
    }))
    yield* write.pipe(
      Effect.zipRight(beforeRename),
      Effect.zipRight(fs.rename(temporaryPath, path)),
      // `force`: the open may have failed
      Effect.onError(() => Effect.ignore(fs.remove(temporaryPath, { force: true })))
    )
    // the rename is in the folder; Windows opens no folders
    if (process.platform !== "win32") {
      yield* Effect.scoped(Effect.flatMap(fs.open(dirname(path), { flag: "r" }), (folder) => folder.sync))
    }
  })
