import { Decrypter, Encrypter, identityToRecipient } from "age-encryption"
import { Redacted } from "effect"
import { Readable } from "node:stream"
import { ArchiveRefused } from "./Archive.ts"

/**
 * An encrypted archive is a file of the format age (https://age-encryption.org/v1), so that `age -d` opens it too. Each
 * 64 KiB are authenticated, and a truncated file is detected.
 */
export type Encryption =
  | { readonly _tag: "passphrase"; readonly passphrase: Redacted.Redacted }
  /** Public keys `age1…` and identities `AGE-SECRET-KEY-…`, as `age-keygen` prints them. */
  | { readonly _tag: "keys"; readonly keys: ReadonlyArray<Redacted.Redacted> }

export const ageMagic = Buffer.from("age-encryption.org/v1\n", "latin1")

const isIdentity = (key: string): boolean => key.startsWith("AGE-SECRET-KEY-")

/** The keys of a key file: a line each; empty lines and those with `#` are skipped. */
export const parseKeyFile = (text: string): ReadonlyArray<Redacted.Redacted> =>
  text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => Redacted.make(line))

/** The library is typed with the browser's streams, which are Node's. */
const toWeb = (bytes: Readable) => Readable.toWeb(bytes) as globalThis.ReadableStream<Uint8Array>
const fromWeb = (stream: globalThis.ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> => stream

export async function* encryptBytes(
  bytes: AsyncIterable<Uint8Array>,
  encryption: Encryption
): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter()
  if (encryption._tag === "passphrase") encrypter.setPassphrase(Redacted.value(encryption.passphrase))
  else {
    for (const key of encryption.keys.map(Redacted.value)) {
      encrypter.addRecipient(isIdentity(key) ? await identityToRecipient(key) : key)
    }
  }
  yield* fromWeb(await encrypter.encrypt(toWeb(Readable.from(bytes))))
}

const makeWrongKey = (encryption: Encryption) =>
  new ArchiveRefused({
    problem: "wrong_key",
    message: encryption._tag === "passphrase"
      ? "the passphrase is wrong, or the archive is encrypted to a key file"
      : "the key file has no key of this archive, or the archive is encrypted to a passphrase"
  })

/** Decrypts; throws ArchiveRefused. */
export async function* decryptBytes(bytes: Readable, encryption: Encryption): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter()
  if (encryption._tag === "passphrase") decrypter.addPassphrase(Redacted.value(encryption.passphrase))
  else for (const key of encryption.keys.map(Redacted.value)) if (isIdentity(key)) decrypter.addIdentity(key)
  let isOpen = false
  try {
    const stream = await decrypter.decrypt(toWeb(bytes))
    isOpen = true
    yield* fromWeb(stream)
  } catch (error) {
    const message = error instanceof Error ? error.message : ""
    if (!isOpen && /no identity matched/.test(message)) throw makeWrongKey(encryption)
    if (error instanceof Error && "code" in error) throw error // of the file system
    throw new ArchiveRefused({
      problem: "damaged",
      message: "the encrypted archive was cut, changed or damaged"
    })
  } finally {
    bytes.destroy()
  }
}
