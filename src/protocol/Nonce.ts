import { randomFillSync } from "node:crypto"

const NONCE_BYTES = 16
const POOL_BYTES = 256 * NONCE_BYTES

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/**
 * A fresh nonce: 16 random bytes in URL-safe base64 without padding, 22 characters (agents' protocol, section 2.1).
 * One call of the system's random source serves many nonces.
 */
export const generateNonce = (): string => {
  if (used === POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const start = used
  used += NONCE_BYTES
  return pool.toString("base64url", start, used)
}
