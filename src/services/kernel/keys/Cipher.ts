import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject, randomBytes } from "node:crypto"
import type { KeyRing, SymmetricKey } from "./KeyRing.ts"

/** A key of SVC_SECRET_KEY; `key_fingerprints` names the active one. */
export const secretKeyOf = (bytes: Buffer): SymmetricKey => ({
  key_id: createHash("sha256").update("svc key fingerprint\n").update(bytes).digest("hex").slice(0, 32),
  key: createSecretKey(bytes)
})

/** The prefix of texts sealed under this key. */
export const keyPrefixOf = (key_id: string): string => `${key_id}.`

/**
 * AES-256-GCM (NIST SP 800-38D), 12 random bytes of nonce, the purpose as associated data: the key's id, a dot, and
 * base64url of nonce, ciphertext and tag.
 */
export const seal = ({ key, key_id }: SymmetricKey, purpose: string, text: string): string => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, nonce)
  cipher.setAAD(Buffer.from(purpose, "utf8"))
  const bytes = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  return keyPrefixOf(key_id) + bytes.toString("base64url")
}

const decrypt = (key: KeyObject, purpose: string, bytes: Buffer): string => {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12))
  decipher.setAAD(Buffer.from(purpose, "utf8"))
  decipher.setAuthTag(bytes.subarray(bytes.length - 16))
  return Buffer.concat([decipher.update(bytes.subarray(12, bytes.length - 16)), decipher.final()]).toString("utf8")
}

const tryDecrypt = (key: KeyObject, purpose: string, body: string): string | null => {
  try {
    return decrypt(key, purpose, Buffer.from(body, "base64url"))
  } catch {
    return null
  }
}

const sealedText = /^([0-9a-f]{32})\.(.*)$/s

/** Whether the text has the form of a sealed one, which names its key. */
export const isSealed = (text: string): boolean => sealedText.test(text)

/** Null when the key is missing, or the bytes or the purpose differ from the sealed ones. */
export const open = (keys: KeyRing, purpose: string, sealed: string): string | null => {
  const [, key_id, body = ""] = sealedText.exec(sealed) ?? []
  const key = key_id === undefined ? undefined : keys.find(key_id) // `find` reads the file for an unknown id
  return key === undefined ? null : tryDecrypt(key.key, purpose, body)
}
