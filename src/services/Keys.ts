import { SqlClient } from "@effect/sql"
import { Context, Data, Effect, type Layer, Option, type Redacted } from "effect"
import type { SigningKeys } from "./Audit/SigningKeys.ts"
import { orDieOnSql, Reader } from "./Database.ts"
import { onlyPg } from "./Dialect.ts"
import type { KeyRing } from "./KeyRing.ts"
import * as Cipher from "./Keys/Cipher.ts"
import { activeKeyName } from "./Keys/Fingerprints.ts"
import { type SealPurpose, associatedDataOf } from "./Keys/SealedColumns.ts"

/**
 * The brain's own keys, from the environment or made in SVC_HOME (`src/layers/Keys.ts`). The database keeps each
 * one's fingerprint; a replica that lacks one which is needed refuses to start.
 */
export class Keys extends Context.Tag("svc/Keys")<Keys, {
  /** AES keys: encrypt what must be readable again (agents' hmac secrets, override arguments of commands). */
  readonly secret: KeyRing
  /** HMAC keys of the audit chain; which of them signs is written in `audit_head`. */
  readonly auditChain: KeyRing
  /** Ed25519 keys of what is said about the audit log outside of it. */
  readonly auditSigning: SigningKeys
  /** Bearer token of /metrics. */
  readonly metricsToken: Redacted.Redacted
}>() {}

/** What was sealed cannot be opened: another key, or altered bytes. */
export class SealBroken extends Data.TaggedError("SealBroken")<{ readonly purpose: SealPurpose }> {}

/** The database was given another key meanwhile, and this process was not. */
export class SecretKeyMissing extends Data.TaggedError("SecretKeyMissing")<{ readonly key_id: string }> {
  override get message() {
    return `secrets are sealed with the key ${this.key_id}, which SVC_SECRET_KEY of this process does not have`
  }
}

/**
 * The key that seals, for all replicas the same from the moment it is changed: in a transaction it stays the one until
 * that ends, so that whoever changes it knows that nothing more comes under the one before.
 */
export const getSealingKey = (sql: SqlClient.SqlClient, keyRing: KeyRing) =>
  Effect.gen(function*() {
    const transaction = yield* Effect.serviceOption(SqlClient.TransactionConnection)
    // outside of a transaction it would hold nothing, and cost a commit
    const share = Option.isSome(transaction) ? onlyPg(sql, "FOR SHARE") : sql.literal("")
    const [row] = yield* sql<{ fingerprint: string }>`
      SELECT fingerprint FROM key_fingerprints WHERE name = ${activeKeyName} ${share}`
    const key_id = row?.fingerprint ?? ""
    return keyRing.find(key_id) ?? (yield* Effect.die(new SecretKeyMissing({ key_id })))
  })

/** Encryption at rest under the key that the database names; each text names its own, and any that is held opens it. */
export class Vault extends Effect.Service<Vault>()("svc/Vault", {
  effect: Effect.gen(function*() {
    const { secret } = yield* Keys
    const read = yield* Reader

    /** Seals a text of the row `id`; in the transaction that writes it, where there is one. */
    const seal = (purpose: SealPurpose, id: string, text: string): Effect.Effect<string> =>
      Effect.map(orDieOnSql(getSealingKey(read, secret)), (key) => Cipher.seal(key, associatedDataOf(purpose, id), text))

    const open = (purpose: SealPurpose, id: string, sealed: string): Effect.Effect<string, SealBroken> =>
      Effect.suspend(() => {
        const text = Cipher.open(secret, associatedDataOf(purpose, id), sealed)
        return text === null ? new SealBroken({ purpose }) : Effect.succeed(text)
      })

    return { seal, open } as const
  })
}) {
  static readonly layer: Layer.Layer<Vault, never, Keys | Reader> = this.Default
}
