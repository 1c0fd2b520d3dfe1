import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { ArchiveRefused } from "./Archive.ts"
import { ageMagic, decryptBytes, type Encryption } from "./Encryption.ts"

const isEncryptedFile = async (path: string): Promise<boolean> => {
  const file = await open(path, "r")
  try {
    const head = Buffer.alloc(ageMagic.length)
    const { bytesRead } = await file.read(head, 0, head.length, 0)
    return bytesRead === head.length && head.equals(ageMagic)
  } finally {
    await file.close()
  }
}

/** The bytes of an archive, decrypted. Throws ArchiveRefused and errors of the file system. */
export async function* readArchiveFile(path: string, encryption: Encryption | null): AsyncGenerator<Uint8Array> {
  const isEncrypted = await isEncryptedFile(path)
  if (isEncrypted && encryption === null) {
    throw new ArchiveRefused({
      problem: "encrypted",
      message: "the archive is encrypted: give its passphrase or key file"
    })
  }
  if (!isEncrypted && encryption !== null) {
    // else a person with access to the file could replace an encrypted archive by one of their own
    throw new ArchiveRefused({
      problem: "not_encrypted",
      message: "the file is not encrypted: leave the passphrase or key file out, if it is the right file"
    })
  }
  const bytes = createReadStream(path, { highWaterMark: 262_144 })
  if (encryption === null) yield* bytes
  else yield* decryptBytes(bytes, encryption)
}
