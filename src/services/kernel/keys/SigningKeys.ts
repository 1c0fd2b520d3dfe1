import { createPrivateKey, createPublicKey, hash, type KeyObject } from "node:crypto"

export interface PublicKey {
  readonly key_id: string
  /** 32 bytes as base64url. */
  readonly public_key: string
  readonly key: KeyObject
}

export interface SigningKey extends PublicKey {
  readonly private: KeyObject
}

/** Ed25519 keys: the first of the setting signs, and all of them are trusted. */
export interface SigningKeys {
  readonly signer: SigningKey
  readonly trusted: ReadonlyMap<string, PublicKey>
}

/** PKCS #8 of an Ed25519 private key (RFC 8410), up to its 32 bytes. */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex")

/** From 32 bytes as base64url; undefined for any other text. */
export const publicKeyOf = (public_key: string): PublicKey | undefined => {
  const bytes = Buffer.from(public_key, "base64url")
  if (bytes.length !== 32 || bytes.toString("base64url") !== public_key) return undefined
  return {
    key_id: hash("sha256", Buffer.concat([Buffer.from("svc audit public key\n"), bytes]), "hex").slice(0, 16),
    public_key,
    key: createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: public_key }, format: "jwk" })
  }
}

/** From the 32 bytes of the private key. */
export const signingKeyOf = (seed: Buffer): SigningKey => {
  const secret = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" })
  const publicKey = publicKeyOf(createPublicKey(secret).export({ format: "jwk" }).x ?? "")
  if (publicKey === undefined) throw new Error("an Ed25519 key without its public half")
  return { ...publicKey, private: secret }
}

export const makeSigningKeys = (signer: SigningKey, others: ReadonlyArray<PublicKey>): SigningKeys => ({
  signer,
  trusted: new Map([signer, ...others].map((one) => [one.key_id, one]))
})
