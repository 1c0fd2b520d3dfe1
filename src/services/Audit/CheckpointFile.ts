import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect } from "effect"

/** Longer than any line. */
const tailBytes = 4096

const lineFeed = 10

/**
 * Appends a line to a file and waits until it is on the disk; `next` is given the last line and answers the one to
 * append, or null. A line that was torn by a crash, at the end and without its line feed, is taken away before.
 */
export const appendLine = <E, R>(
  path: string,
  next: (last: string | null) => Effect.Effect<string | null, E, R>
): Effect.Effect<string | null, E | PlatformError, R | FileSystem.FileSystem> =>
  Effect.scoped(Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const file = yield* fs.open(path, { flag: "a+", mode: 0o600 })
    const size = Number((yield* file.stat).size)
    const from = Math.max(0, size - tailBytes)
    yield* file.seek(FileSystem.Size(from), "start")
    const tail = Buffer.alloc(size - from)
    yield* file.read(tail)
    const end = tail.lastIndexOf(lineFeed)
    const whole = end === -1 ? "" : tail.subarray(tail.lastIndexOf(lineFeed, end - 1) + 1, end).toString("utf8")
    const line = yield* next(end === -1 ? null : whole)
    if (line === null) return null
    if (end !== tail.length - 1) yield* file.truncate(FileSystem.Size(from + end + 1))
    yield* file.writeAll(Buffer.from(`${line}\n`, "utf8"))
    yield* file.sync
    return line
  }))
