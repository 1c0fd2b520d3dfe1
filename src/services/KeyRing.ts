import { FileSystem } from "@effect/platform"
import { Effect, Option } from "effect"
import { type KeyObject, randomBytes } from "node:crypto"

/** A key that can be replaced while replicas run. A KeyObject shows nothing of itself when it is printed. */
export interface SymmetricKey {
  /** A fingerprint of the key, by which the database names it. */
  readonly key_id: string
  readonly key: KeyObject
}

/** The keys of one setting that this process holds. Which of them is in use is written in the database. */
export interface KeyRing {
  /** Looks into `file` again when it does not know the key: a new one may have been put there meanwhile. */
  readonly find: (key_id: string) => SymmetricKey | undefined
  readonly all: () => ReadonlyArray<SymmetricKey>
  /** Where they were read from, and where a new one goes; null when the environment gave them. */
  readonly file: string | null
}

/** `read` gives what is in `file` now. */
export const makeKeyRing = (
  initial: ReadonlyArray<SymmetricKey>,
  file: string | null,
  read: () => ReadonlyArray<SymmetricKey>
): KeyRing => {
  let keysById = new Map(initial.map((one) => [one.key_id, one]))
  return {
    find: (key_id) => {
      if (!keysById.has(key_id) && file !== null) {
        keysById = new Map([...keysById, ...read().map((one) => [one.key_id, one] as const)])
      }
      return keysById.get(key_id)
    },
    all: () => [...keysById.values()],
    file
  }
}

/**
 * Adds a new key to the file and answers it; the file is replaced as a whole, so that nobody ever reads half of it, and
 * keeps its owner, since whoever runs the command may be root and the brain is not.
 */
export const appendNewKey = (path: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const bytes = randomBytes(32)
    const text = `${(yield* fs.readFileString(path)).trim()}\n${bytes.toString("base64url")}\n`
    const temporaryPath = `${path}.${randomBytes(4).toString("hex")}`
    yield* fs.writeFileString(temporaryPath, text, { mode: 0o600, flag: "wx" })
    const { gid, uid } = yield* fs.stat(path)
    if (process.getuid?.() === 0) yield* fs.chown(temporaryPath, Option.getOrElse(uid, () => 0), Option.getOrElse(gid, () => 0))
    yield* fs.rename(temporaryPath, path)
    return bytes
  })

/** How to get a key that no file can take, for whoever is told to add one. */
export const addKeyInstructions = "add one to it, after a comma, at every replica, restart them one after the other, and run " +
  "this again (openssl rand -base64 32 | tr '+/' '-_' | tr -d = makes one)"
