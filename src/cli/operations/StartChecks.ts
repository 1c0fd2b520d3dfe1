import { type Error as PlatformError, FileSystem } from "@effect/platform"
import { Data, Effect, Option, Schedule } from "effect"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { chainOf, fieldOf, meaningOf } from "../../domain/kernel/ErrorMeaning.ts"
import { type DatabaseLocation, FolderMissing } from "../../layers/Database.ts"
import type { SettingsShape } from "../../services/kernel/Settings.ts"
import { loadSqlite } from "../../sqlite/Driver.ts"
import { describeError } from "../program/Explain.ts"
import { LoadFailed } from "../program/Load.ts"
import { addressOf, probeBrain } from "./LocalBrain.ts"

const reasonOf = (error: unknown): string => {
  const chain = chainOf(error)
  return meaningOf(chain) ?? fieldOf(chain.at(-1) ?? {}, "message")
}

/**
 * Writes a file into a new folder and removes both. Permissions alone do not show a full disk, or a remote disk that
 * refuses the user root.
 */
const tryWrite = (folder: string) =>
  Effect.scoped(Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const trial = yield* fs.makeTempDirectoryScoped({ directory: folder, prefix: ".svc-check-" })
    yield* fs.writeFile(join(trial, "file"), new Uint8Array(4096))
  }))

const isAbsent = (error: PlatformError.PlatformError): boolean =>
  error._tag === "SystemError" && ["ENOENT", "ENOTDIR"].includes(fieldOf(chainOf(error.cause)[0] ?? {}, "code"))

/** The path itself, or the nearest folder or file above it. */
const nearestExisting = (
  path: string
): Effect.Effect<
  { readonly path: string; readonly isFolder: boolean },
  PlatformError.PlatformError,
  FileSystem.FileSystem
> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(path)).pipe(
    Effect.map(({ type }) => ({ path, isFolder: type === "Directory" })),
    Effect.catchIf((error) => isAbsent(error) && dirname(path) !== path, () => nearestExisting(dirname(path)))
  )

/** Why the brain could not keep its files in SVC_HOME, or create it; null where it can. Nothing stays behind. */
export const findHomeTrouble = (home: string) =>
  nearestExisting(home).pipe(
    Effect.flatMap(({ isFolder, path }) =>
      isFolder
        ? Effect.as(tryWrite(path), null)
        : Effect.succeed(`${path} is not a folder. Set SVC_HOME to a folder that svc may write to`)
    ),
    Effect.catchAll((error) =>
      Effect.succeed(
        `svc cannot write to ${home}: ${
          reasonOf(error)
        }. Free space there, make it writable for this user, or set SVC_HOME to another folder`
      )
    )
  )

/** Why the brain could not write to its SQLite file, or create it; null where it can, and on PostgreSQL. */
export const findDatabaseFileTrouble = (location: DatabaseLocation, { databaseUrl }: SettingsShape) =>
  Effect.gen(function*() {
    // without SVC_DATABASE_URL the folder is SVC_HOME, and created with it
    if (location.dialect === "pg" || location.file === ":memory:") return null
    const fs = yield* FileSystem.FileSystem
    const folder = dirname(location.file)
    const found = yield* nearestExisting(location.file)
    if (found.path === location.file) {
      yield* Effect.scoped(fs.open(location.file, { flag: "r+" }))
    } else if (databaseUrl !== null && (found.path !== folder || !found.isFolder)) {
      return new FolderMissing({ folder }).message
    }
    if (databaseUrl !== null) yield* tryWrite(folder)
    return null
  }).pipe(
    Effect.catchAll((error) =>
      Effect.succeed(
        `svc cannot write to it: ${
          reasonOf(error)
        }. Make the file and its folder writable for this user, or correct SVC_DATABASE_URL`
      )
    )
  )

/** Why a native package that the brain needs cannot be loaded by this Node.js; null where they can. */
export const findNativeTrouble = ({ dialect }: DatabaseLocation) =>
  Effect.tryPromise({
    try: async () => {
      await import("argon2")
      if (dialect === "sqlite") loadSqlite()
    },
    catch: (cause) => new LoadFailed({ cause })
  }).pipe(
    Effect.as(null),
    Effect.catchAll((error) => Effect.succeed(describeError(error)))
  )

/** The operating system refuses to listen. */
class ListenRefused extends Data.TaggedError("ListenRefused")<{ readonly code: string; readonly cause: unknown }> {}

/** Listens for a moment. */
const tryListen = (host: string, port: number) =>
  Effect.async<void, ListenRefused>((resume) => {
    const server = createServer()
    server.once("error", (cause) => resume(Effect.fail(new ListenRefused({ code: fieldOf(cause, "code"), cause }))))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resume(Effect.void)))
  })

const isTaken = ({ code }: ListenRefused): boolean => code === "EADDRINUSE"

export interface PortUse {
  /** `this_brain`: a brain on the database of these settings listens there. */
  readonly use: "free" | "this_brain" | "taken"
  /** Why the brain could not listen; null where it can, or does. */
  readonly trouble: string | null
}

const adviceOf = ({ cause, code }: ListenRefused, address: string): string => {
  switch (code) {
    case "EADDRNOTAVAIL":
      return `this machine does not have the address of ${address}. Set SVC_HOST to one of its addresses, or to 0.0.0.0 for all`
    case "EACCES":
      return `this user may not listen on ${address}. Set SVC_PORT to a port above 1023, and let a proxy serve the lower one`
    default:
      return `svc cannot listen on ${address}: ${reasonOf(cause)}. Correct SVC_HOST or SVC_PORT`
  }
}

/** Whether the brain could listen on SVC_HOST and SVC_PORT. `isServed`: a brain runs on the database of these settings. */
export const findPortUse = ({ host, port }: SettingsShape, isServed: boolean) =>
  Effect.gen(function*() {
    const address = addressOf(host, port)
    const first = yield* Effect.option(Effect.flip(tryListen(host, port)))
    if (Option.isNone(first)) return { use: "free", trouble: null } satisfies PortUse
    if (!isTaken(first.value)) return { use: "taken", trouble: adviceOf(first.value, address) } satisfies PortUse
    const { readiness } = yield* probeBrain
    if (Option.isSome(readiness)) {
      return isServed ? { use: "this_brain", trouble: null } satisfies PortUse : {
        use: "taken",
        trouble: `a brain with another database listens on ${address}. Stop it, or set SVC_PORT to a free port`
      } satisfies PortUse
    }
    // another svc check may have held the port for the moment of its own trial
    const again = yield* Effect.either(
      Effect.retry(tryListen(host, port), { while: isTaken, schedule: Schedule.spaced("100 millis"), times: 2 })
    )
    return again._tag === "Right"
      ? { use: "free", trouble: null } satisfies PortUse
      : {
        use: "taken",
        trouble: `another program listens on ${address}. Stop it, or set SVC_PORT to a free port`
      } satisfies PortUse
  })
