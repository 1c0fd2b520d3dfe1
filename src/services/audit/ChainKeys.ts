import { createSecretKey, hash } from "node:crypto"
import type { SymmetricKey } from "../kernel/keys/KeyRing.ts"

/** A key of the chain. `audit_head` names the key that signs. */
export const chainKeyOf = (bytes: Buffer): SymmetricKey => ({
  key_id: hash("sha256", Buffer.concat([Buffer.from("svc audit chain key\n"), bytes]), "hex").slice(0, 16),
  key: createSecretKey(bytes)
})
