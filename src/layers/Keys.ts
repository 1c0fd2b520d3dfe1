import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Data, Effect, Layer, Redacted } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { join } from "node:path"
import * as Timestamp from "../domain/Timestamp.ts"
import { Keys } from "../services/Keys.ts"
import { Settings } from "../services/Settings.ts"

/** The key that this process was given is not the one the database was written with. */
export class KeyMismatch extends Data.TaggedError("KeyMismatch")<{ readonly setting: string }> {
  override get message() {
    return `${this.setting} is not the key this database was written with. Give every replica the same key, ` +
      "or restore the key file that was in SVC_HOME."
  }
}

export class KeyUnusable extends Data.TaggedError("KeyUnusable")<{ readonly message: string }> {}

/** The value of the setting, else of the file in SVC_HOME, which is made with mode 0600 when it is not there. */
const valueOf = (given: Redacted.Redacted | null, file: string) =>
  Effect.gen(function*() {
    if (given !== null) return Redacted.value(given)
    const fs = yield* FileSystem.FileSystem
    const { home } = yield* Settings
    const path = join(home, file)
    yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
    const make = fs.writeFileString(path, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" })
    // "wx" leaves an existing file alone, also one that another process made a moment ago
    yield* Effect.catchIf(make, (error) => error._tag === "SystemError" && error.reason === "AlreadyExists", () => Effect.void)
    return (yield* fs.readFileString(path)).trim()
  })

const metricsTokenFile = "metrics.token"

/** The bearer token of /metrics: the setting's, else that of SVC_HOME. */
export const metricsTokenOf = Effect.flatMap(Settings, ({ metricsAuthToken }) =>
  Effect.map(valueOf(metricsAuthToken, metricsTokenFile), (token) => Redacted.make(token)))

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

const key32 = (setting: string, text: string) => {
  const bytes = Buffer.from(text, "base64url")
  return bytes.length === 32
    ? Effect.succeed(bytes)
    : Effect.fail(new KeyUnusable({ message: `${setting} must be 32 bytes as base64url (43 characters)` }))
}

const checkFingerprint = (setting: string, key: Buffer) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const fingerprint = createHash("sha256").update("svc key fingerprint\n").update(key).digest("hex").slice(0, 32)
    const created_at = yield* Timestamp.now
    yield* sql`INSERT INTO key_fingerprints ${sql.insert({ name: setting, fingerprint, created_at })} ON CONFLICT DO NOTHING`
    const [row] = yield* sql<{ fingerprint: string }>`SELECT fingerprint FROM key_fingerprints WHERE name = ${setting}`
    if (row?.fingerprint !== fingerprint) return yield* new KeyMismatch({ setting })
  })

export const layer = Layer.effect(Keys, Effect.gen(function*() {
  const settings = yield* Settings
  const secret = yield* key32("SVC_SECRET_KEY", yield* valueOf(settings.secretKey, "secret.key"))
  const auditChain = yield* key32("SVC_AUDIT_CHAIN_KEY", yield* valueOf(settings.auditChainKey, "audit-chain.key"))
  const metricsToken = yield* metricsTokenOf
  yield* checkFingerprint("SVC_SECRET_KEY", secret)
  yield* checkFingerprint("SVC_AUDIT_CHAIN_KEY", auditChain)
  return { secret: Redacted.make(secret), auditChain: Redacted.make(auditChain), metricsToken }
}))
