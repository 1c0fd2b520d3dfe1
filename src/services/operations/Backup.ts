import { SqlClient } from "@effect/sql"
import { Data, Effect } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { version } from "../../domain/kernel/Version.ts"
import * as Ids from "../kernel/Ids.ts"
import { readSecretKeyIds } from "../kernel/keys/Fingerprints.ts"
import { countSealedByKey } from "../kernel/keys/SealedColumns.ts"
import type { SigningKey } from "../kernel/keys/SigningKeys.ts"
import { Database } from "../kernel/sql/Database.ts"
import { Migrations } from "../kernel/sql/Migrations.ts"
import { formatVersion, type Manifest, type ReportProgress, type Summary, type TableColumns } from "./Backup/Archive.ts"
import { writeArchive } from "./Backup/ArchiveWriter.ts"
import { archivedTables, Catalog, type CatalogTable } from "./Backup/Catalog.ts"
import { readCounters } from "./Backup/Counters.ts"
import { encryptBytes, type Encryption } from "./Backup/Encryption.ts"
import { removePartialFiles, requireNoFile, writeNewFile } from "./Backup/NewFile.ts"
import { readPostgresRows, readSqliteRows } from "./Backup/Rows.ts"

/** This database cannot be archived; `message` is a sentence for the user. */
export class BackupRefused extends Data.TaggedError("BackupRefused")<{ readonly message: string }> {}

/** The archive was not written. The file of an unfinished one is deleted. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly cause: unknown }> {
  override get message() {
    return `the backup was not written: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

export interface BackupResult {
  readonly manifest: Manifest
  readonly summary: Summary
  /** Bytes of the file. */
  readonly fileBytes: number
  /** Unfinished files of earlier backups to this destination, which are deleted. */
  readonly removed: ReadonlyArray<string>
}

interface BackupOptions {
  readonly path: string
  readonly encryption: Encryption | null
  readonly report: ReportProgress
  /** The key that signs the audit log's checkpoints; null: the archive is not signed. */
  readonly signer: SigningKey | null
}

const fail = (cause: unknown) =>
  cause instanceof Error && "_tag" in cause && cause._tag === "DestinationExists"
    ? new BackupRefused({ message: cause.message })
    : new BackupFailed({ cause })

const readManifest = (revision: number, allTables: ReadonlyArray<CatalogTable>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { dialect } = yield* Database
    const { head } = yield* Migrations
    const [auditHead] = yield* sql<{ seq: number; row_hash: string; key_id: string }>`
      SELECT seq, row_hash, key_id FROM audit_head WHERE id = 1`
    const signing = yield* sql<{ key_id: string }>`
      SELECT key_id FROM audit_keys WHERE purpose = 'signing' ORDER BY key_id`
    const { active } = yield* readSecretKeyIds
    // an older schema may lack a column with secrets, and then its former keys are not listed
    const encryptedByKey = revision === head ? yield* countSealedByKey : new Map<string, number>()
    const secret = new Set([...(active === null ? [] : [active]), ...encryptedByKey.keys()])
    return {
      format: formatVersion,
      id: yield* Ids.next,
      created_at: yield* Timestamp.now,
      program: version,
      database: dialect === "pg" ? "postgresql" : "sqlite",
      revision,
      audit_head: auditHead === undefined ? null : { seq: auditHead.seq, row_hash: auditHead.row_hash },
      keys: {
        secret: [...secret].sort(),
        audit_chain: auditHead?.key_id ?? null,
        audit_signing: signing.map(({ key_id }) => key_id)
      },
      sequences: yield* readCounters(allTables),
      tables: archivedTables(allTables)
    } satisfies Manifest
  })

/**
 * Runs `body` in one transaction that only reads, and sees the database as it was at its beginning.
 *
 * SQLite: a read transaction in WAL mode, which neither waits for writers nor holds them up. The log keeps what
 * they write until the end of the read. The online backup interface of SQLite would begin again after each commit of another process.
 */
const withSnapshot = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.onDialectOrElse({
      pg: () =>
        sql.withTransaction(
          Effect.zipRight(
            Effect.all([
              sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
              // the server would end a transaction that waits for a slow disk
              sql`SET LOCAL idle_in_transaction_session_timeout = 0`,
              sql`SET LOCAL statement_timeout = 0`
            ]),
            body
          )
        ),
      // a connection that only reads has no transactions of @effect/sql, which begin for writing
      orElse: () => Effect.acquireUseRelease(sql`BEGIN`, () => body, () => Effect.ignore(sql`ROLLBACK`))
    })
  })

/**
 * Writes an archive of the database while brains use it. Needs a connection that only reads (`Database.layerReadOnly`).
 * The file appears under its name when it is complete.
 */
export const writeBackup = Effect.fn("Backup.write")(function*({ encryption, path, report, signer }: BackupOptions) {
  const { postgres, sqlite } = yield* Database
  const catalog = yield* Catalog
  const migrations = yield* Migrations
  yield* Effect.tryPromise({ try: () => requireNoFile(path), catch: fail })
  const removed = yield* Effect.tryPromise({ try: () => removePartialFiles(path), catch: fail })
  const revision = yield* migrations.current
  if (revision === 0) {
    return yield* new BackupRefused({ message: "the database is empty: no svc has created its tables" })
  }
  if (revision > migrations.head) {
    return yield* new BackupRefused({
      message:
        `the database is at revision ${revision}, which a newer svc created; this is svc ${version}: use the newer one`
    })
  }
  const tables = yield* catalog.tablesAt(revision)

  return yield* withSnapshot(Effect.gen(function*() {
    if ((yield* migrations.current) !== revision) {
      return yield* new BackupRefused({ message: "the database is being migrated: begin again" })
    }
    const manifest = yield* readManifest(revision, tables)
    let summary: Summary = { tables: [], sha256: "", signature: null }
    const write = (readRows: (table: TableColumns) => AsyncIterable<Buffer>, signal: AbortSignal) =>
      writeArchive(
        { manifest, readRows, report, signer, onSummary: (found) => void (summary = found) },
        (bytes) => writeNewFile(path, encryption === null ? bytes : encryptBytes(bytes, encryption)),
        signal
      )
    const fileBytes = yield* (sqlite === null
      ? postgres === null
        ? Effect.dieMessage("there is no database")
        : Effect.mapError(
          postgres.within((client, signal) => write((table) => readPostgresRows(client, table), signal)),
          ({ cause }) => fail(cause)
        )
      : Effect.tryPromise({
        try: (signal) => write((table) => readSqliteRows(sqlite.readConnection, table), signal),
        catch: fail
      }))
    return { manifest, summary, fileBytes, removed } satisfies BackupResult
  }))
})
