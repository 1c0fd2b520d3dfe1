import { SqlClient } from "@effect/sql"
import { Context, Data, Effect, type Layer, Option, type Redacted } from "effect"
import { orDieOnSql, Reader } from "../sql/Database.ts"
import { onPostgres } from "../sql/Dialect.ts"
import * as Cipher from "./Cipher.ts"
import { activeKeyName } from "./Fingerprints.ts"
import type { KeyRing } from "./KeyRing.ts"
import { associatedDataOf, type SealPurpose } from "./SealedColumns.ts"
import type { SigningKeys } from "./SigningKeys.ts"

/**
 * The brain's own keys, from the environment or generated in SVC_HOME (`src/layers/Keys.ts`). The database stores their
 * fingerprints; a replica that lacks a required key refuses to start.
 */
export class Keys extends Context.Tag("svc/Keys")<Keys, {
  /** AES keys: encrypt what must be readable again (agents' hmac secrets, override arguments of commands). */
  readonly secret: KeyRing
  /** HMAC keys of the audit chain; `audit_head` names the one that signs. */
  readonly auditChain: KeyRing
  /** Ed25519 keys of checkpoints and watermarks. */
  readonly auditSigning: SigningKeys
  /** Bearer token of /metrics. */
  readonly metricsToken: Redacted.Redacted
}>() {}

/** A sealed text cannot be decrypted: the key is missing, or the bytes were altered. */
export class DecryptionFailed extends Data.TaggedError("DecryptionFailed")<{ readonly purpose: SealPurpose }> {}

/** The database's active key was replaced by one that this process does not have. */
export class SecretKeyMissing extends Data.TaggedError("SecretKeyMissing")<{ readonly key_id: string }> {
  override get message() {
    return `secrets are sealed with the key ${this.key_id}, which SVC_SECRET_KEY of this process does not have`
  }
}

/**
 * The active key, which encrypts ("seals"), the same for all replicas. In a transaction its row stays locked for
 * changes until the end, so that after a rotation no text is sealed under the former key.
 */
export const getSealingKey = (sql: SqlClient.SqlClient, keyRing: KeyRing) =>
  Effect.gen(function*() {
    const transaction = yield* Effect.serviceOption(SqlClient.TransactionConnection)
    // outside of a transaction the lock would be released at once, and cost a commit
    const share = Option.isSome(transaction) ? onPostgres(sql, "FOR SHARE") : sql.literal("")
    const [row] = yield* sql<{ fingerprint: string }>`
      SELECT fingerprint FROM key_fingerprints WHERE name = ${activeKeyName} ${share}`
    const key_id = row?.fingerprint ?? ""
    return keyRing.find(key_id) ?? (yield* Effect.die(new SecretKeyMissing({ key_id })))
  })

/** Encryption at rest under the active key. A sealed text names its key, and any key of this process can open it. */
export class Vault extends Effect.Service<Vault>()("svc/Vault", {
  effect: Effect.gen(function*() {
    const { secret } = yield* Keys
    const read = yield* Reader

    /** Seals a text of the row `id`. Call it in the transaction that writes the row, where there is one. */
    const seal = (purpose: SealPurpose, id: string, text: string): Effect.Effect<string> =>
      Effect.map(
        orDieOnSql(getSealingKey(read, secret)),
        (key) => Cipher.seal(key, associatedDataOf(purpose, id), text)
      )

    const open = (purpose: SealPurpose, id: string, sealed: string): Effect.Effect<string, DecryptionFailed> =>
      Effect.suspend(() => {
        const text = Cipher.open(secret, associatedDataOf(purpose, id), sealed)
        return text === null ? new DecryptionFailed({ purpose }) : Effect.succeed(text)
      })

    return { seal, open } as const
  })
}) {
  static readonly layer: Layer.Layer<Vault, never, Keys | Reader> = this.Default
}
