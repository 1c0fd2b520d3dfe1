import { FileSystem } from "@effect/platform"
import { SystemError } from "@effect/platform/Error"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { join } from "node:path"
import * as Timestamp from "../domain/Timestamp.ts"
import { Keys } from "../services/Keys.ts"
import { Settings } from "../services/Settings.ts"
import * as AuditKeys from "./AuditKeys.ts"
import { KeyMismatch, KeyUnusable, keys32, made, untouched, valueOf } from "./KeyFiles.ts"

const metricsTokenFile = "metrics.token"

/** As for the setting. */
const fewestCharacters = 16

/** The bearer token of /metrics: the setting's, else that of SVC_HOME. */
export const metricsTokenOf = Effect.gen(function*() {
  const { home, metricsAuthToken } = yield* Settings
  const token = yield* valueOf(metricsAuthToken, metricsTokenFile, made)
  if (token.length < fewestCharacters) {
    return yield* new KeyUnusable({
      message: `the token of /metrics in ${join(home, metricsTokenFile)} has fewer than ${fewestCharacters} characters, so anybody could guess it. ` +
        "svc metrics-token rotate puts a new one in its place"
    })
  }
  return Redacted.make(token)
})

/** Puts a new token in the place of the one in SVC_HOME, which running brains do not see; answers its file. */
export const rotateMetricsToken = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const { home } = yield* Settings
  const path = join(home, metricsTokenFile)
  yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
  yield* fs.writeFileString(`${path}.new`, randomBytes(32).toString("base64url"), { mode: 0o600 })
  yield* fs.rename(`${path}.new`, path)
  return path
})

const fingerprintOf = (key: Buffer) => createHash("sha256").update("svc key fingerprint\n").update(key).digest("hex").slice(0, 32)

const checkFingerprint = (setting: string, key: Buffer) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const fingerprint = fingerprintOf(key)
    const created_at = yield* Timestamp.now
    yield* sql`INSERT INTO key_fingerprints ${sql.insert({ name: setting, fingerprint, created_at })} ON CONFLICT DO NOTHING`
    const [row] = yield* sql<{ fingerprint: string }>`SELECT fingerprint FROM key_fingerprints WHERE name = ${setting}`
    if (row?.fingerprint !== fingerprint) return yield* new KeyMismatch({ setting })
  })

const isMissing = (error: unknown): boolean => error instanceof SystemError && error.reason === "NotFound"

/** Fails as a start would for a key that is not the database's, or is not here. Makes no key and writes nothing. */
export const compare = Effect.gen(function*() {
  const { secretKey } = yield* Settings
  const sql = yield* SqlClient.SqlClient
  const setting = "SVC_SECRET_KEY"
  const [known] = yield* sql<{ fingerprint: string }>`SELECT fingerprint FROM key_fingerprints WHERE name = ${setting}`
  if (known !== undefined) {
    const text = yield* valueOf(secretKey, "secret.key", untouched).pipe(Effect.catchIf(isMissing, () => new KeyMismatch({ setting })))
    const [secret] = yield* keys32(setting, text)
    if (fingerprintOf(secret) !== known.fingerprint) return yield* new KeyMismatch({ setting })
  }
  const begun = yield* sql`SELECT 1 FROM audit_head`
  if (begun.length === 0) return
  const { auditChain, auditSigning } = yield* AuditKeys.read(untouched).pipe(
    Effect.catchIf(isMissing, () => new KeyMismatch({ setting: "SVC_AUDIT_CHAIN_KEY or SVC_AUDIT_SIGNING_KEY" }))
  )
  yield* AuditKeys.compare(auditChain, auditSigning)
})

/** The brain's keys, made where there are none, and compared with those that the database was written with. */
export const layer = Layer.effect(Keys, Effect.gen(function*() {
  const settings = yield* Settings
  const [secret] = yield* keys32("SVC_SECRET_KEY", yield* valueOf(settings.secretKey, "secret.key", made))
  const { auditChain, auditSigning } = yield* AuditKeys.read(made)
  const metricsToken = yield* metricsTokenOf
  yield* checkFingerprint("SVC_SECRET_KEY", secret)
  yield* AuditKeys.check(auditChain, auditSigning)
  return { secret: Redacted.make(secret), auditChain, auditSigning, metricsToken }
}))
