import { FileSystem } from "@effect/platform"
import { SystemError } from "@effect/platform/Error"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { Keys } from "../services/Keys.ts"
import { known, sealing } from "../services/Keys/Known.ts"
import { Migrations } from "../services/Migrations.ts"
import { Settings } from "../services/Settings.ts"
import * as AuditKeys from "./AuditKeys.ts"
import { KeyMismatch, KeyUnusable, made, untouched, valueOf } from "./KeyFiles.ts"
import * as SecretKeys from "./SecretKeys.ts"

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

const isMissing = (error: unknown): boolean => error instanceof SystemError && error.reason === "NotFound"

/** Fails as a start would for a key that is not the database's, or is not here. Makes no key and writes nothing. */
export const compare = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  if ((yield* known).active !== null) {
    const secret = yield* SecretKeys.read(untouched).pipe(
      Effect.catchIf(isMissing, () => new KeyMismatch({ setting: sealing }))
    )
    yield* SecretKeys.compare(secret)
    const { current, head } = yield* Migrations
    if ((yield* current) >= head) yield* SecretKeys.compareSealed(secret) // an older schema may lack a column
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
  const secret = yield* SecretKeys.read(made)
  const { auditChain, auditSigning } = yield* AuditKeys.read(made)
  const metricsToken = yield* metricsTokenOf
  yield* SecretKeys.check(secret)
  yield* AuditKeys.check(auditChain, auditSigning)
  return { secret, auditChain, auditSigning, metricsToken }
}))
