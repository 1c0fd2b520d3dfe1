import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { activeKeyName, readSecretKeyIds } from "../services/kernel/keys/Fingerprints.ts"
import { Keys } from "../services/kernel/keys/Keys.ts"
import { replaceFile } from "../services/kernel/ReplaceFile.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { Migrations } from "../services/kernel/sql/Migrations.ts"
import * as AuditKeys from "./AuditKeys.ts"
import { ensureKeyFile, isMissingFile, KeyMismatch, KeyUnusable, readKeyText, requireKeyFile } from "./KeyFiles.ts"
import * as SecretKeys from "./SecretKeys.ts"

const metricsTokenFile = "metrics.token"

/** The minimum length that the setting SVC_METRICS_AUTH_TOKEN requires, too. */
const minTokenLength = 16

/** The bearer token of /metrics, from the setting or from the file in SVC_HOME. */
export const readMetricsToken = Effect.gen(function*() {
  const { home, metricsAuthToken } = yield* Settings
  const token = yield* readKeyText(metricsAuthToken, metricsTokenFile, ensureKeyFile)
  if (token.length < minTokenLength) {
    return yield* new KeyUnusable({
      message:
        `the token of /metrics in ${
          join(home, metricsTokenFile)
        } has fewer than ${minTokenLength} characters, so it can be guessed. ` +
        "svc metrics-token rotate puts a new one in its place"
    })
  }
  return Redacted.make(token)
})

/** Replaces the token in SVC_HOME; running brains keep the old one. Returns its file. */
export const rotateMetricsToken = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const { home } = yield* Settings
  const path = join(home, metricsTokenFile)
  yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
  yield* replaceFile({ path, text: randomBytes(32).toString("base64url") })
  return path
})

/** Fails as a start would for a key that is missing or is not the database's. Creates no key and writes nothing. */
export const verifyKeys = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  if ((yield* readSecretKeyIds).active !== null) {
    const secret = yield* SecretKeys.readSecretKeys(requireKeyFile).pipe(
      Effect.catchIf(isMissingFile, () => new KeyMismatch({ setting: activeKeyName }))
    )
    yield* SecretKeys.verifySecretKeys(secret)
    const { current, head } = yield* Migrations
    if ((yield* current) >= head) yield* SecretKeys.verifyStoredSecretKeys(secret) // an older schema may lack a column
  }
  const auditHead = yield* sql`SELECT 1 FROM audit_head`
  if (auditHead.length === 0) return
  const { auditChain, auditSigning } = yield* AuditKeys.readAuditKeys(requireKeyFile).pipe(
    Effect.catchIf(isMissingFile, () => new KeyMismatch({ setting: "SVC_AUDIT_CHAIN_KEY or SVC_AUDIT_SIGNING_KEY" }))
  )
  yield* AuditKeys.verifyAuditKeys(auditChain, auditSigning)
})

/** The brain's keys, created where they are missing, and compared with those that the database was written with. */
export const layer = Layer.effect(
  Keys,
  Effect.gen(function*() {
    const secret = yield* SecretKeys.readSecretKeys(ensureKeyFile)
    const { auditChain, auditSigning } = yield* AuditKeys.readAuditKeys(ensureKeyFile)
    const metricsToken = yield* readMetricsToken
    yield* SecretKeys.registerSecretKeys(secret)
    yield* AuditKeys.registerAuditKeys(auditChain, auditSigning)
    return { secret, auditChain, auditSigning, metricsToken }
  })
)

const missingKeysMessage =
  "SVC_HOME lacks keys. Put secret.key, audit-chain.key and audit-signing.key there, as they were where the backup was made."

/**
 * This machine's keys as they are: none is created, compared with the database, or recorded in it. For a database whose
 * rows are about to be replaced by those of an archive. `/metrics` is not served with these.
 */
export const layerUnregistered = Layer.effect(
  Keys,
  Effect.gen(function*() {
    const secret = yield* SecretKeys.readSecretKeys(requireKeyFile)
    const { auditChain, auditSigning } = yield* AuditKeys.readAuditKeys(requireKeyFile)
    return { secret, auditChain, auditSigning, metricsToken: Redacted.make("") }
  })
).pipe(Layer.catchAll((error) =>
  isMissingFile(error)
    ? Layer.fail(new KeyUnusable({ message: missingKeysMessage }))
    : Layer.fail(error)
))
