import { FileSystem } from "@effect/platform"
import { SqlClient, SqlError } from "@effect/sql"
import { Cause, Effect, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { cleanUpFork } from "../audit/ForkCleanup.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { whileNoBrainRuns } from "../kernel/RunningBrains.ts"
import { Settings } from "../kernel/Settings.ts"
import { Database } from "../kernel/sql/Database.ts"
import { Migrations } from "../kernel/sql/Migrations.ts"
import type { Manifest, ReportProgress } from "./Backup/Archive.ts"
import { Catalog } from "./Backup/Catalog.ts"
import { readCounters } from "./Backup/Counters.ts"
import { describeArchive } from "./Backup/Record.ts"
import { type ArchiveLocation, requireKnownSchema, verifyArchive } from "./Backup/Verification.ts"
import { RestoreAftermath } from "./Restore/Aftermath.ts"
import { allowTime, prepareConnection, tidy } from "./Restore/Connection.ts"
import { loadPostgres, type LoadRequest, loadRows, loadSqlite } from "./Restore/Load.ts"
import { requireIntactLog, requireReferences } from "./Restore/RestoredRows.ts"
import { raiseCounters, replaceTables, type SchemaChange } from "./Restore/Tables.ts"
import {
  foreignReason,
  requireArchiveKeys,
  requireNoDependents,
  requireTarget,
  RestoreRefused
} from "./Restore/Target.ts"

export interface RestoreResult {
  readonly manifest: Manifest
  readonly rows: number
  /** The rows that the aftermath changed: their number by the name of the change. */
  readonly changedRows: Readonly<Record<string, number>>
  /** Where this machine's checkpoints of the replaced audit log are now; null where they agree with the restored log. */
  readonly formerCheckpoints: string | null
}

interface RestoreRequest extends LoadRequest {
  /** Also restores an archive that none of this machine's keys has signed. */
  readonly acceptForeign: boolean
}

/** Replaces the database's content by an archive (docs/backup.md). */
export class Restore extends Effect.Service<Restore>()("svc/Restore", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const database = yield* Database
    const { postgres, sqlite } = database
    const fs = yield* FileSystem.FileSystem
    const settings = yield* Settings
    const migrations = yield* Migrations
    const catalog = yield* Catalog
    const aftermath = yield* RestoreAftermath
    const audit = yield* Audit
    const keys = yield* Keys

    /** Reads the whole archive, and checks it and the database. Changes nothing. */
    const check = Effect.fn("Restore.check")(function*(location: ArchiveLocation, report: ReportProgress) {
      const verified = yield* verifyArchive(location, report)
      yield* requireKnownSchema(verified.manifest)
      yield* requireTarget
      yield* requireArchiveKeys(verified.manifest)
      yield* requireNoDependents(yield* catalog.tablesAt(migrations.head), verified.manifest)
      return { ...verified, foreign: yield* foreignReason(verified) }
    })

    const load = (request: LoadRequest) => {
      if (postgres !== null) return postgres.within((client) => loadRows(loadPostgres(client), request))
      if (sqlite === null) return Effect.dieMessage("there is no database")
      return Effect.flatMap(
        sqlite.within(loadSqlite), // the transaction outlives this call, and so may its connection
        (loadTable) =>
          Effect.tryPromise({
            try: () => loadRows(loadTable, request),
            catch: (cause) => new SqlError.SqlError({ cause, message: "Failed to copy rows" })
          })
      )
    }

    const readScheduleRevision = Effect.map(
      sql<{ revision: number }>`SELECT revision FROM schedule_changes WHERE id = 1`,
      ([row]) => row?.revision ?? 0
    )

    /** Everything of the restore that must be whole or not happen. */
    const replace = Effect.fnUntraced(
      function*(request: LoadRequest, schema: SchemaChange) {
        const { manifest, summary } = request.verified
        yield* allowTime
        const formerCounters = yield* readCounters(schema.headTables)
        const formerScheduleRevision = yield* readScheduleRevision
        yield* replaceTables(schema, load(request))
        yield* raiseCounters(schema.headTables, formerCounters, manifest.sequences)
        yield* requireReferences
        const hasLog = yield* requireIntactLog(manifest)
        const changedRows = yield* aftermath.closeOpenWork(manifest, formerScheduleRevision)
        const archive = describeArchive(manifest, summary)
        audit.committedHead.reset()
        if (hasLog) {
          yield* audit.record(auditEntry("system.restored", "database", manifest.id, {
            metadata: { ...archive, settled: changedRows }
          }))
        }
        return { rows: archive.rows, changedRows }
      },
      sql.withTransaction
    )

    const putCheckpointsAside = Effect.catchAllCause(cleanUpFork, (cause) =>
      Effect.as(
        Effect.logWarning(
          `The restore is complete. This machine's checkpoints were not put aside, so run svc audit fork-cleanup: ${
            Cause.pretty(cause)
          }`
        ),
        null
      ))

    /** Replaces the database's content by a checked archive, all or nothing. Fails with BrainRunning while a brain runs. */
    const run = Effect.fn("Restore.run")(
      function*({ acceptForeign, ...request }: RestoreRequest) {
        const { verified } = request
        const foreign = yield* foreignReason(verified)
        if (foreign !== null && !acceptForeign) {
          return yield* new RestoreRefused({
            message: `${foreign}, so whoever could write the file has chosen its rows, admins among them. ` +
              "If you trust it, add --accept-foreign"
          })
        }
        const { revision } = verified.manifest
        const headTables = yield* catalog.tablesAt(migrations.head)
        const archiveTables = yield* catalog.tablesAt(revision)
        yield* prepareConnection
        const result = yield* whileNoBrainRuns(replace(request, { headTables, archiveTables, revision }))
        yield* Effect.ignore(tidy)
        const formerCheckpoints = yield* putCheckpointsAside
        return { manifest: verified.manifest, ...result, formerCheckpoints } satisfies RestoreResult
      },
      (self) =>
        self.pipe(
          Effect.provideService(CurrentActor, system("svc restore")),
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.provideService(Database, database),
          Effect.provideService(FileSystem.FileSystem, fs),
          Effect.provideService(Settings, settings),
          Effect.provideService(Migrations, migrations),
          Effect.provideService(Keys, keys),
          Effect.provideService(Audit, audit)
        )
    )

    return { check, run } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(RestoreAftermath.layer))
}
