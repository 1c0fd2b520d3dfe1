import { FileSystem } from "@effect/platform"
import { SqlClient, SqlError } from "@effect/sql"
import { Cause, Effect, Layer, Option } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import { Audit } from "../audit/Audit.ts"
import { cleanUpFork } from "../audit/ForkCleanup.ts"
import { verifyLog } from "../audit/Verify.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { whileNoBrainRuns } from "../kernel/RunningBrains.ts"
import { Settings } from "../kernel/Settings.ts"
import { Database } from "../kernel/sql/Database.ts"
import { Migrations } from "../kernel/sql/Migrations.ts"
import type { Manifest, ReportProgress } from "./Backup/Archive.ts"
import { Catalog, type CatalogTable } from "./Backup/Catalog.ts"
import { readCounters } from "./Backup/Counters.ts"
import { describeArchive } from "./Backup/Record.ts"
import { type ArchiveLocation, requireKnownSchema, verifyArchive } from "./Backup/Verification.ts"
import { RestoreAftermath } from "./Restore/Aftermath.ts"
import { loadPostgres, type LoadRequest, loadRows, loadSqlite } from "./Restore/Load.ts"
import { createIndexes, dropIndexes, dropTables, emptyTables, listIndexes, raiseCounters } from "./Restore/Tables.ts"
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

interface Replacement extends LoadRequest {
  /** The tables of this program's schema. */
  readonly headTables: ReadonlyArray<CatalogTable>
  /** The tables of the archive's schema. */
  readonly archiveTables: ReadonlyArray<CatalogTable>
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

    const readRevision = Effect.map(
      sql<{ revision: number }>`SELECT revision FROM schedule_changes WHERE id = 1`,
      ([row]) => row?.revision ?? 0
    )

    /** SQLite checks no references while rows are loaded, since their checks are off. */
    const requireReferences = sql.onDialectOrElse({
      pg: () => Effect.void,
      orElse: () =>
        Effect.flatMap(
          sql<{ table: string; parent: string }>`SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1`,
          ([row]) =>
            row === undefined ? Effect.void : new RestoreRefused({
              message: `the archive has rows of ${row.table} that refer to missing rows of ${row.parent}`
            })
        )
    })

    const requireIntactLog = ({ audit_head }: Manifest) =>
      Effect.gen(function*() {
        const found = Option.getOrNull(yield* verifyLog(sql, keys))
        const isSame = audit_head === null
          ? found === null
          : found?.head.seq === audit_head.seq && found.head.row_hash === audit_head.row_hash
        if ((found === null || found.problem === null) && isSame) return found !== null
        return yield* new RestoreRefused({
          message: `the audit log of the archive does not verify: ${
            found?.problem?.detail ?? "its head is another one"
          }`
        })
      })

    /**
     * Waits at most 10 s for locks of svc commands that still read; then the restore fails before it changes anything.
     */
    const allowTime = sql.onDialectOrElse({
      pg: () =>
        Effect.all([
          sql`SET LOCAL idle_in_transaction_session_timeout = 0`,
          sql`SET LOCAL statement_timeout = 0`,
          sql`SET LOCAL lock_timeout = '10s'`
        ], { discard: true }),
      orElse: () => Effect.void
    })

    /** Everything of the restore that must be whole or not happen. */
    const replace = Effect.fnUntraced(
      function*({ archiveTables, headTables, location, report, verified }: Replacement) {
        const { manifest, summary } = verified
        return yield* sql.withTransaction(Effect.gen(function*() {
          yield* allowTime
          const counters = yield* readCounters(headTables)
          const revision = yield* readRevision
          const formerIndexes = yield* listIndexes(headTables)
          if (manifest.revision < migrations.head) {
            yield* dropTables(headTables)
            yield* migrations.upgrade(manifest.revision)
          }
          yield* emptyTables(archiveTables.filter(({ name }) => name !== "schema_migrations"))
          const indexes = yield* listIndexes(archiveTables)
          yield* dropIndexes(indexes)
          yield* load({ location, verified, report })
          yield* createIndexes(indexes)
          if (manifest.revision < migrations.head) {
            yield* migrations.upgrade()
            // indexes that no migration creates, such as those of searches, were dropped with the former tables
            const names = new Set((yield* listIndexes(headTables)).map(({ name }) => name))
            yield* createIndexes(formerIndexes.filter(({ name }) => !names.has(name)))
          }
          yield* raiseCounters(headTables, counters, manifest.sequences)
          yield* requireReferences
          const hasLog = yield* requireIntactLog(manifest)
          const changedRows = yield* aftermath.closeOpenWork(manifest, revision)
          const archive = describeArchive(manifest, summary)
          audit.committedHead.reset()
          if (hasLog) {
            yield* audit.record({
              action: "system.restored",
              target_type: "database",
              target_id: manifest.id,
              metadata: { ...archive, settled: changedRows }
            })
          }
          return { rows: archive.rows, changedRows }
        }))
      }
    )

    /** Speeds up the load, and ends with the connection. References cannot be switched off in a transaction. */
    const prepareConnection = sql.onDialectOrElse({
      pg: () => Effect.void,
      orElse: () =>
        Effect.all([
          sql`PRAGMA foreign_keys = OFF`,
          sql`PRAGMA cache_size = -131072`,
          sql`PRAGMA temp_store = FILE`
        ], { discard: true })
    })

    /** The log of a large restore is as large as the database; and the planner knows nothing of the new rows. */
    const tidy = sql.onDialectOrElse({
      pg: () => sql`ANALYZE`,
      orElse: () => sql`PRAGMA wal_checkpoint(TRUNCATE)`
    })

    /** Replaces the database's content by a checked archive, all or nothing. Fails with BrainRunning while a brain runs. */
    const run = Effect.fn("Restore.run")(
      function*({ acceptForeign, location, report, verified }: RestoreRequest) {
        const foreign = yield* foreignReason(verified)
        if (foreign !== null && !acceptForeign) {
          return yield* new RestoreRefused({
            message: `${foreign}, so whoever could write the file has chosen its rows, admins among them. ` +
              "If you trust it, add --accept-foreign"
          })
        }
        const headTables = yield* catalog.tablesAt(migrations.head)
        const archiveTables = yield* catalog.tablesAt(verified.manifest.revision)
        yield* prepareConnection
        const result = yield* whileNoBrainRuns(replace({ location, verified, report, headTables, archiveTables }))
        yield* Effect.ignore(tidy)
        const formerCheckpoints = yield* cleanUpFork.pipe(
          Effect.catchAllCause((cause) =>
            Effect.as(
              Effect.logWarning(
                `The restore is complete. This machine's checkpoints were not put aside, so run svc audit fork-cleanup: ${
                  Cause.pretty(cause)
                }`
              ),
              null
            )
          )
        )
        return { manifest: verified.manifest, ...result, formerCheckpoints } satisfies RestoreResult
      },
      (self) =>
        self.pipe(
          Effect.provideService(CurrentActor, system("svc restore")),
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.provideService(Database, database),
          Effect.provideService(FileSystem.FileSystem, fs),
          Effect.provideService(Settings, settings),
          Effect.provideService(Keys, keys),
          Effect.provideService(Audit, audit)
        )
    )

    return { check, run } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(RestoreAftermath.layer))
}
