import { FileSystem } from "@effect/platform"
import { Effect, Option } from "effect"
import { type KeyObject, randomBytes } from "node:crypto"
import { replaceFile } from "../ReplaceFile.ts"

/** A key that can be replaced while replicas run. A KeyObject does not reveal its bytes when it is printed. */
export interface SymmetricKey {
  /** The key's fingerprint, which is its name in the database. */
  readonly key_id: string
  readonly key: KeyObject
}

/** The keys of one setting that this process holds. The database names the active one. */
export interface KeyRing {
  /** Reads `file` again when the key is unknown, because a new key may have been added since. */
  readonly find: (key_id: string) => SymmetricKey | undefined
  readonly all: () => ReadonlyArray<SymmetricKey>
  /** The file of the keys, to which a new key is added; null when the environment provides them. */
  readonly file: string | null
}

/** `read` returns the current content of `file`. */
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
 * Adds a new key to the file and returns it. The file is replaced atomically, so no process reads half of it. It keeps
 * its owner, because the command may run as root and the brain does not.
 */
export const appendNewKey = (path: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const bytes = randomBytes(32)
    const text = `${(yield* fs.readFileString(path)).trim()}\n${bytes.toString("base64url")}\n`
    const { gid, uid } = yield* fs.stat(path)
    const beforeRename = (temporaryPath: string) =>
      process.getuid?.() === 0
        ? fs.chown(temporaryPath, Option.getOrElse(uid, () => 0), Option.getOrElse(gid, () => 0))
        : Effect.void
    yield* replaceFile({ path, text, beforeRename })
    return bytes
  })

/** How to add a key when no file holds the keys; part of the refusal's message. */
export const addKeyInstructions =
  "add one to it, after a comma, at every replica, restart them one after the other, and run " +
  "this again (openssl rand -base64 32 | tr '+/' '-_' | tr -d = makes one)"
