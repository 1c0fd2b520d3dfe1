import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Either, Option, Schema } from "effect"
import { basename, dirname, join } from "node:path"
import type { SettingsShape } from "../kernel/Settings.ts"
import { Checkpoint } from "./Statement.ts"

/** Longer than any line. */
const lineBytes = 4096

const lineFeed = 10

/** Where the checkpoints of this machine are. */
export const checkpointPath = (settings: Pick<SettingsShape, "auditCheckpointFile" | "home">): string =>
  settings.auditCheckpointFile === "" ? join(settings.home, "audit-checkpoints.jsonl") : settings.auditCheckpointFile

/**
 * The lease under which a file and what is beside it are written. It names the file by the inode of its folder, which all
 * processes that share it see alike, also from several containers. Two files of one name only wait for each other.
 */
export const checkpointLeaseName = (path: string) =>
  Effect.flatMap(
    FileSystem.FileSystem,
    (fs) =>
      Effect.map(fs.stat(dirname(path)), ({ ino }) =>
        `audit checkpoints ${Option.getOrElse(ino, () => 0)}/${basename(path)}`)
  )

/** The checkpoint in a line of our own file. Its signature is not verified here: this machine wrote it. */
export const parseCheckpoint = (line: string): Checkpoint | null =>
  Either.getOrNull(Schema.decodeUnknownEither(Schema.parseJson(Checkpoint))(line))

/** The bytes from a position on, at most those of one line. */
const readBytesFrom = (file: FileSystem.File, from: number) =>
  Effect.gen(function*() {
    yield* file.seek(FileSystem.Size(from), "start")
    const bytes = Buffer.alloc(lineBytes)
    return bytes.subarray(0, Number(yield* file.read(bytes)))
  })

/** The last complete line, or null; where it begins, and where the next one will begin. */
const readLastLine = (file: FileSystem.File) =>
  Effect.gen(function*() {
    const size = Number((yield* file.stat).size)
    const from = Math.max(0, size - lineBytes)
    const tail = yield* readBytesFrom(file, from)
    const feed = tail.lastIndexOf(lineFeed)
    if (feed === -1) return { line: null, begin: from, end: from, size }
    const begin = tail.lastIndexOf(lineFeed, feed - 1) + 1
    return { line: tail.subarray(begin, feed).toString("utf8"), begin: from + begin, end: from + feed + 1, size }
  })

/**
 * Appends a line to a file and waits until it is on the disk. `next` gets the last line and returns the line to append,
 * or null. An incomplete last line, which a crash left without its line feed, is truncated first.
 */
export const appendLine = <E, R>(
  path: string,
  next: (last: string | null) => Effect.Effect<string | null, E, R>
): Effect.Effect<string | null, E | PlatformError, R | FileSystem.FileSystem> =>
  Effect.scoped(Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const file = yield* fs.open(path, { flag: "a+", mode: 0o600 })
    const last = yield* readLastLine(file)
    const line = yield* next(last.line)
    if (line === null) return null
    if (last.end !== last.size) yield* file.truncate(FileSystem.Size(last.end))
    yield* file.writeAll(Buffer.from(`${line}\n`, "utf8"))
    yield* file.sync
    return line
  }))

const withFile = <A, E, R>(path: string, use: (file: FileSystem.File) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.flatMap(fs.open(path, { flag: "r" }), use)))

/** The last checkpoint of a file and where its line begins, or null. */
export const readLastCheckpoint = (path: string) =>
  Effect.gen(function*() {
    if (!(yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.exists(path)))) return null
    const { begin, line } = yield* withFile(path, readLastLine)
    const checkpoint = line === null ? null : parseCheckpoint(line)
    return checkpoint === null ? null : { checkpoint, begin }
  })

/** The complete line that begins at this position, and where the next one begins; null at the end. */
export const readLineAt = (path: string, begin: number) =>
  withFile(path, (file) =>
    Effect.map(readBytesFrom(file, begin), (bytes) => {
      const feed = bytes.indexOf(lineFeed)
      return feed === -1 ? null : { line: bytes.subarray(0, feed).toString("utf8"), end: begin + feed + 1 }
    }))
