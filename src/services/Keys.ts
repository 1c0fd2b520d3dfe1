import { Context, Data, Effect, type Layer, Redacted } from "effect"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { SigningKeys } from "./Audit/SigningKeys.ts"
import type { HeldKeys } from "./HeldKeys.ts"

/**
 * The brain's own keys, from the environment or made in SVC_HOME (`src/layers/Keys.ts`). The database keeps each
 * one's fingerprint; a replica with another key refuses to start.
 */
export class Keys extends Context.Tag("svc/Keys")<Keys, {
  /** 32 bytes: encrypts what must be readable again (agents' hmac secrets, override arguments of commands). */
  readonly secret: Redacted.Redacted<Buffer>
  /** HMAC keys of the audit chain. */
  readonly auditChain: HeldKeys
  /** Ed25519 keys of what is said about the audit log outside of it. */
  readonly auditSigning: SigningKeys
  /** Bearer token of /metrics. */
  readonly metricsToken: Redacted.Redacted
}>() {}

/** What was sealed cannot be opened: another key, or altered bytes. */
export class SealBroken extends Data.TaggedError("SealBroken")<{ readonly purpose: string }> {}

/**
 * Encryption at rest: AES-256-GCM (NIST SP 800-38D), 12 random bytes of nonce, the purpose as associated data, so
 * that a sealed text cannot be moved to another column. Stored as base64url of nonce, ciphertext and tag.
 */
export class Vault extends Effect.Service<Vault>()("svc/Vault", {
  effect: Effect.map(Keys, (keys) => ({
    seal: (purpose: string, text: string): string => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv("aes-256-gcm", Redacted.value(keys.secret), nonce)
      cipher.setAAD(Buffer.from(purpose, "utf8"))
      return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url")
    },
    open: (purpose: string, sealed: string): Effect.Effect<string, SealBroken> =>
      Effect.try({
        try: () => {
          const bytes = Buffer.from(sealed, "base64url")
          const decipher = createDecipheriv("aes-256-gcm", Redacted.value(keys.secret), bytes.subarray(0, 12))
          decipher.setAAD(Buffer.from(purpose, "utf8"))
          decipher.setAuthTag(bytes.subarray(bytes.length - 16))
          return Buffer.concat([decipher.update(bytes.subarray(12, bytes.length - 16)), decipher.final()]).toString("utf8")
        },
        catch: () => new SealBroken({ purpose })
      })
  }))
}) {
  static readonly layer: Layer.Layer<Vault, never, Keys> = this.Default
}
