import { Cause, Console, Effect, Layer, Option } from "effect"
import { constants, setPriority } from "node:os"
import { resolve } from "node:path"
import { headRevision } from "../../../../migrations/MigrationList.ts"
import { findSigner } from "../../../layers/AuditKeys.ts"
import * as AuditLog from "../../../layers/AuditLog.ts"
import * as Catalog from "../../../layers/Catalog.ts"
import * as DatabaseLayer from "../../../layers/Database.ts"
import * as Keys from "../../../layers/Keys.ts"
import * as RestoreLayer from "../../../layers/Restore.ts"
import { Metrics } from "../../../services/kernel/Metrics.ts"
import { Database } from "../../../services/kernel/sql/Database.ts"
import { type BackupResult, writeBackup } from "../../../services/operations/Backup.ts"
import type { Manifest, Summary } from "../../../services/operations/Backup/Archive.ts"
import { recordBackup } from "../../../services/operations/Backup/Record.ts"
import { verifyArchive } from "../../../services/operations/Backup/Verification.ts"
import { Restore } from "../../../services/operations/Restore.ts"
import { formatSize, withCopyProgress } from "../../io/CopyProgress.ts"
import { layerWarnings } from "../../program/Administration.ts"
import { CliError, describeError } from "../../program/Explain.ts"
import { type HandlersOf, handleWith } from "../../program/Group.ts"
import { layerInspection } from "../../program/ReadOnlyDatabase.ts"
import { settings } from "../../program/Settings.ts"
import type { definitions } from "../backup.ts"
import { readEncryption } from "../BackupSecret.ts"
import { countRows, linesOfRows } from "../RowCounts.ts"

/** A brain on the same machine keeps the processor: the backup of a large database takes minutes anyway. */
const yieldProcessor = Effect.ignore(Effect.try(() => setPriority(constants.priority.PRIORITY_BELOW_NORMAL)))

const sum = ({ tables }: Summary, of: "rows" | "bytes"): number => tables.reduce((total, one) => total + one[of], 0)

const headText = ({ audit_head }: Manifest): string =>
  audit_head === null ? "none" : `row ${audit_head.seq} ${audit_head.row_hash}`

const keyLines = ({ keys }: Manifest): ReadonlyArray<string> => {
  const lines = [
    ...keys.secret.map((id) => `  SVC_SECRET_KEY ${id}`),
    ...(keys.audit_chain === null ? [] : [`  SVC_AUDIT_CHAIN_KEY ${keys.audit_chain}`]),
    ...(keys.audit_signing.length === 0 ? [] : [`  SVC_AUDIT_SIGNING_KEY ${keys.audit_signing.join(" or ")}`])
  ]
  return lines.length === 0 ? [] : ["keys: a brain needs these; they are not in the backup", ...lines]
}

const signatureText = ({ signature }: Summary): string =>
  signature === null ? "not signed" : `by the key ${signature.key_id} (${signature.public_key})`

const describe = (manifest: Manifest, summary: Summary): ReadonlyArray<string> => [
  `created: ${manifest.created_at} by svc ${manifest.program}`,
  `database: ${manifest.database}, revision ${manifest.revision}`,
  `rows: ${sum(summary, "rows")} in ${summary.tables.filter(({ rows }) => rows > 0).length} tables, ${
    formatSize(sum(summary, "bytes"))
  }`,
  `audit head: ${headText(manifest)}`,
  `signature: ${signatureText(summary)}`,
  ...keyLines(manifest)
]

/** One object, with the columns of tables left out. */
const jsonOf = (path: string, { tables: _columns, ...manifest }: Manifest, summary: Summary, more: object) =>
  JSON.stringify({
    path,
    ...manifest,
    rows: sum(summary, "rows"),
    tables: summary.tables,
    signature: summary.signature,
    ...more
  })

/** The audit log for writing, with the keys that this machine has. Creates no key, and leaves the schema as it is. */
const layerRecord = AuditLog.layerWithoutKeys.pipe(
  Layer.provideMerge(Layer.merge(Keys.layerUnregistered, Metrics.layer)),
  Layer.provideMerge(DatabaseLayer.layerUnmigrated),
  Layer.provideMerge(settings()),
  Layer.provideMerge(layerWarnings)
)

/** Why the audit log of this database cannot take a row of this program. */
const unrecordableReason = ({ audit_head, revision }: Manifest, head: number): string | null => {
  if (audit_head === null) return "the database has no audit log yet, because no brain has served it"
  return revision === head
    ? null
    : `the database is at revision ${revision} and this program's head is ${head}; svc serve migrates it at start`
}

/** A backup is worth as much without its row in the audit log, so what prevents the row is a warning. */
const recordOrWarn = (result: BackupResult, isEncrypted: boolean) =>
  Effect.gen(function*() {
    const reason = unrecordableReason(result.manifest, yield* headRevision)
    if (reason !== null) return yield* new CliError({ message: reason })
    yield* recordBackup({ ...result, isEncrypted }).pipe(
      Effect.provide(layerRecord),
      Effect.timeoutFail({
        duration: "30 seconds",
        onTimeout: () => new CliError({ message: "the audit log of the database was locked for 30 seconds" })
      })
    )
  }).pipe(
    Effect.catchAllCause((cause) =>
      Console.error(
        `the backup is complete, but is not recorded, so svc status and svc doctor do not count it: ${
          describeError(Cause.squash(cause))
        }`
      )
    )
  )

const layerRestore = RestoreLayer.layer.pipe(
  Layer.provideMerge(DatabaseLayer.layerUnmigrated),
  Layer.provideMerge(settings()),
  Layer.provideMerge(layerWarnings)
)

/** Opening a SQLite file for writing would create it. */
const requireDatabase = Effect.provide(Database, layerInspection)

export const handlers: HandlersOf<typeof definitions> = {
  backup: handleWith(Layer.merge(layerInspection, Catalog.layer))(function*({ json, output, ...secrets }) {
    if (Option.isNone(output)) {
      return yield* new CliError({ usage: true, message: "name the new file: svc backup --output <path>" })
    }
    yield* yieldProcessor
    const path = resolve(output.value)
    const encryption = yield* readEncryption(secrets, true)
    const signer = yield* findSigner
    const result = yield* withCopyProgress("backup", (report) => writeBackup({ path, encryption, report, signer }))
    const { fileBytes, manifest, removed, summary } = result
    for (const name of removed) yield* Console.error(`deleted ${name}, the unfinished file of a killed backup`)
    yield* Console.log(
      json
        ? jsonOf(path, manifest, summary, { bytes: fileBytes, encrypted: encryption !== null })
        : [
          `wrote ${path}: ${formatSize(fileBytes)}${encryption === null ? "" : ", encrypted"}`,
          ...describe(manifest, summary)
        ].join("\n")
    )
    yield* recordOrWarn(result, encryption !== null)
  }),
  verify: Effect.fnUntraced(function*({ archive, json, ...secrets }) {
    const path = resolve(archive)
    const encryption = yield* readEncryption(secrets, false)
    const { manifest, summary } = yield* withCopyProgress(
      "verify",
      (report) => verifyArchive({ path, encryption }, report)
    )
    yield* Console.log(
      json
        ? jsonOf(path, manifest, summary, { encrypted: encryption !== null })
        : ["the backup is complete and unchanged", ...describe(manifest, summary)].join("\n")
    )
  }),
  restore: Effect.fnUntraced(function*({ acceptForeign, archive, force, json, ...secrets }) {
    const path = resolve(archive)
    const encryption = yield* readEncryption(secrets, false)
    yield* requireDatabase
    yield* Effect.gen(function*() {
      const location = { path, encryption }
      const service = yield* Restore
      const { redactedUrl } = yield* Database
      const verified = yield* withCopyProgress("verify", (report) => service.check(location, report))
      if (!force) {
        const rows = (yield* countRows).filter(([, { n }]) => n > 0)
        yield* Console.log(
          json
            ? jsonOf(path, verified.manifest, verified.summary, {
              database_url: redactedUrl,
              foreign: verified.foreign,
              replaced_rows: Object.fromEntries(rows.map(([name, { n }]) => [name, n])),
              restored: false
            })
            : [
              "the backup is complete and unchanged, and can be restored here",
              ...describe(verified.manifest, verified.summary),
              ...(verified.foreign === null ? [] : [`FOREIGN: ${verified.foreign}; it needs --accept-foreign`]),
              ...(rows.length === 0 ? [] : [`it would replace these rows of ${redactedUrl}:`, ...linesOfRows(rows)])
            ].join("\n")
        )
        return yield* new CliError({
          usage: true,
          message: "nothing was restored. svc restore --force replaces all rows of the database for good"
        })
      }
      const { changedRows, formerCheckpoints, manifest, rows } = yield* withCopyProgress(
        "restore",
        (report) => service.run({ location, verified, report, acceptForeign })
      )
      yield* Console.log(
        json
          ? jsonOf(path, manifest, verified.summary, {
            database_url: redactedUrl,
            restored: true,
            settled: changedRows,
            former_checkpoints: formerCheckpoints
          })
          : [
            `restored ${rows} rows of ${manifest.created_at} into ${redactedUrl}`,
            ...Object.entries(changedRows).map(([name, count]) => `  ${name.replaceAll("_", " ")}: ${count}`),
            ...(formerCheckpoints === null ? [] : [`moved the former checkpoints to ${formerCheckpoints}`]),
            "check what changed since the backup: API keys, members and schedules are as they were then"
          ].join("\n")
      )
    }).pipe(Effect.provide(layerRestore))
  })
}
