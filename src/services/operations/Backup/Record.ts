import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { system } from "../../../domain/kernel/Actor.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import { CurrentActor } from "../../kernel/CurrentActor.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import type { Manifest, Summary } from "./Archive.ts"

/** What a row of the audit log says of an archive. A backup and a restore write it alike. */
export const describeArchive = (
  { audit_head, created_at, database, program, revision }: Manifest,
  { signature, tables }: Summary
) => ({
  backup: { created_at, program, database, revision, audit_head },
  rows: tables.reduce((sum, { rows }) => sum + rows, 0),
  signed_by: signature?.key_id ?? null
})

interface CompletedBackup {
  readonly manifest: Manifest
  readonly summary: Summary
  /** Bytes of the file. */
  readonly fileBytes: number
  readonly isEncrypted: boolean
}

/** Records a complete backup in the audit log of its database. Needs a connection that writes. */
export const recordBackup = Effect.fn("Backup.record")(
  function*({ fileBytes, isEncrypted, manifest, summary }: CompletedBackup) {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    yield* sql.withTransaction(audit.record(auditEntry("system.backup_created", "database", manifest.id, {
      metadata: {
        ...describeArchive(manifest, summary),
        format: manifest.format,
        bytes: fileBytes,
        encrypted: isEncrypted
      }
    })))
  },
  Effect.provideService(CurrentActor, system("svc backup"))
)

export interface LastBackup {
  /** The moment whose rows it has. */
  readonly created_at: Timestamp.Timestamp
  /** Bytes of its file; null where it was restored here. */
  readonly bytes: number | null
  /** The database is this backup, restored, and none was made since. */
  readonly restored: boolean
}

const Metadata = Schema.parseJson(Schema.Struct({
  backup: Schema.Struct({ created_at: Timestamp.Timestamp }),
  bytes: Schema.optional(Schema.Number)
}))
const decodeMetadata = Schema.decodeUnknownOption(Metadata)

/**
 * The newest backup that the audit log knows; null without one. The row of a backup is written after its snapshot, so a
 * restored database does not know the archive that it came from by that row: the row of the restore names it.
 */
export const findLastBackup: Effect.Effect<LastBackup | null, SqlError.SqlError, Reader> = Effect.gen(function*() {
  const sql = yield* Reader
  // one query an action: each reads one row of the index of actions
  const newestOf = (action: string) =>
    sql<{ seq: number; metadata: string }>`
      SELECT seq, metadata FROM audit_log WHERE action = ${action} ORDER BY seq DESC LIMIT 1`
  const [created] = yield* newestOf("system.backup_created")
  const [restored] = yield* newestOf("system.restored")
  const isRestored = restored !== undefined && restored.seq > (created?.seq ?? 0)
  const found = decodeMetadata((isRestored ? restored : created)?.metadata)
  return Option.match(found, {
    onNone: () => null,
    onSome: ({ backup, bytes }) => ({ created_at: backup.created_at, bytes: bytes ?? null, restored: isRestored })
  })
})
