import { FileSystem } from "@effect/platform"
import { type PlatformError, SystemError } from "@effect/platform/Error"
import { Data, Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { makeKeyRing, type SymmetricKey } from "../services/kernel/keys/KeyRing.ts"
import { makeTemporaryPath, removeLeftovers } from "../services/kernel/ReplaceFile.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { parseKeys } from "../services/kernel/Settings/Kinds.ts"

/** The key that this process was given is not the one the database was written with. */
export class KeyMismatch extends Data.TaggedError("KeyMismatch")<{ readonly setting: string }> {
  override get message() {
    return `${this.setting} is not the key this database was written with. Give every replica the same key, ` +
      "or restore the key file that was in SVC_HOME."
  }
}

export class KeyUnusable extends Data.TaggedError("KeyUnusable")<{ readonly message: string }> {}

const isThere = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "AlreadyExists"

/** Creates the file, if it is missing, with mode 0600 and 32 random bytes. No process reads it half-written. */
export const ensureKeyFile = (path: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { home } = yield* Settings
    yield* removeLeftovers(path)
    if (yield* fs.exists(path)) return
    yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
    const tempPath = makeTemporaryPath(path)
    const write = (to: string) =>
      fs.writeFileString(to, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" })
    yield* Effect.zipRight(write(tempPath), fs.link(tempPath, path)).pipe(
      // A rename could overwrite a file that another process just created, so the file is hard-linked; file systems
      // without links fall back to a direct write.
      Effect.catchIf((error) => !isThere(error), () => write(path)),
      Effect.catchIf(isThere, () => Effect.void),
      Effect.ensuring(Effect.ignore(fs.remove(tempPath)))
    )
  })

/** Prepares a file in SVC_HOME before it is read. */
export type PrepareKeyFile = typeof ensureKeyFile

/** Requires the file to exist. */
export const requireKeyFile: PrepareKeyFile = () => Effect.void

/** Whether a key's file is not there. */
export const isMissingFile = (error: unknown): boolean => error instanceof SystemError && error.reason === "NotFound"

/** The value of the setting, else of the file in SVC_HOME. */
export const readKeyText = (value: Redacted.Redacted | null, file: string, before: PrepareKeyFile) =>
  Effect.gen(function*() {
    if (value !== null) return Redacted.value(value)
    const fs = yield* FileSystem.FileSystem
    const path = join((yield* Settings).home, file)
    yield* before(path)
    return (yield* fs.readFileString(path)).trim()
  })

/** Keys of 32 bytes; there is at least one. */
export const parseRequiredKeys = (setting: string, text: string) => {
  const [first, ...others] = parseKeys(text)
  return first !== undefined && [first, ...others].every(({ length }) => length === 32)
    ? Effect.succeed([first, ...others] as const)
    : Effect.fail(new KeyUnusable({ message: `${setting} must be 32 bytes as base64url (43 characters)` }))
}

/** The keys of a setting that can be replaced while replicas run, else of the file in SVC_HOME. */
export const readKeyRing = (
  setting: string,
  value: Redacted.Redacted | null,
  name: string,
  before: PrepareKeyFile,
  keyOf: (bytes: Buffer) => SymmetricKey
) =>
  Effect.gen(function*() {
    const { files, home } = yield* Settings
    const keys = yield* parseRequiredKeys(setting, yield* readKeyText(value, name, before))
    const file = value === null ? join(home, name) : files.get(setting) ?? null
    const text = () => (file === null ? "" : readFileSync(file, "utf8"))
    const again = () => parseKeys(text()).filter(({ length }) => length === 32).map(keyOf)
    return makeKeyRing(keys.map(keyOf), file, again)
  })
