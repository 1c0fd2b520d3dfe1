import { SqlClient, SqlError } from "@effect/sql"
import { Cause, Effect, Layer, Option } from "effect"
import { system } from "../domain/Actor.ts"
import { version } from "../domain/Version.ts"
import { Audit } from "./Audit.ts"
import { cleanUpFork } from "./Audit/ForkCleanup.ts"
import { verifyLog } from "./Audit/Verify.ts"
import { ArchiveRefused, type Manifest, type ReportProgress, type TableColumns } from "./Backup/Archive.ts"
import { readArchiveFile } from "./Backup/ArchiveFile.ts"
import { readArchive, type VerifiedArchive } from "./Backup/ArchiveReader.ts"
import { archivedTables, Catalog } from "./Backup/Catalog.ts"
import { readCounters } from "./Backup/Counters.ts"
import type { Encryption } from "./Backup/Encryption.ts"
import { CurrentActor } from "./CurrentActor.ts"
import { Database } from "./Database.ts"
import { Keys } from "./Keys.ts"
import { Migrations } from "./Migrations.ts"
import { RestoreAftermath } from "./Restore/Aftermath.ts"
import { type Loader, makePostgresLoader, makeSqliteLoader } from "./Restore/Loader.ts"
import { createIndexes, dropIndexes, dropTables, emptyTables, listIndexes, raiseCounters } from "./Restore/Tables.ts"
import { requireArchiveKeys, requireNoBrain, RestoreRefused, requireTarget } from "./Restore/Target.ts"

export interface ArchiveLocation {
  readonly path: string
  readonly encryption: Encryption | null
}

const asRefusal = (error: unknown) =>
  error instanceof ArchiveRefused ? error : new RestoreRefused({
    message: `the archive cannot be read: ${error instanceof Error ? error.message : String(error)}`
  })

/** Reads the whole archive and verifies every byte. */
export const verifyArchive = Effect.fn("Restore.verify")(
  ({ encryption, path }: ArchiveLocation, report: ReportProgress) =>
    Effect.tryPromise({
      try: () => readArchive(readArchiveFile(path, encryption), { report }),
      catch: asRefusal
    })
)

/** The rows must be those of a revision that this program knows. */
const requireKnownSchema = ({ program, revision, tables }: Manifest) =>
  Effect.gen(function*() {
    const { head } = yield* Migrations
    if (revision > head) {
      return yield* new ArchiveRefused({
        problem: "newer_schema",
        message: `svc ${program} wrote the archive at revision ${revision}, and this is svc ${version}, which knows ` +
          `revisions up to ${head}: restore it with svc ${program}`
      })
    }
    const known = yield* (yield* Catalog).tablesAt(revision)
    if (JSON.stringify(archivedTables(known)) !== JSON.stringify(tables)) {
      return yield* new ArchiveRefused({
        problem: "foreign",
        message: `the archive says revision ${revision}, and has other tables than that`
      })
    }
    return known
  })

/** Writes the rows of the archive. Each table has as many as the summary says, or the restore fails. */
const loadRows = (loader: Loader, location: ArchiveLocation, verified: VerifiedArchive, report: ReportProgress) =>
  async (): Promise<void> => {
    const { manifest, summary } = verified
    const tables = new Map(manifest.tables.map((table) => [table.name, table]))
    let current: TableColumns | null = null
    const finish = async () => {
      if (current === null) return
      const { name } = current
      current = null
      const [rows, expected] = [await loader.end(), summary.tables.find((table) => table.name === name)?.rows]
      if (rows !== expected) throw new Error(`${name} has ${rows} rows, and the archive ${expected}`)
    }
    try {
      const read = await readArchive(readArchiveFile(location.path, location.encryption), {
        onRows: async (name, block) => {
          const table = tables.get(name)
          if (table === undefined) return
          if (current !== table) {
            await finish()
            await loader.begin(table)
            current = table
          }
          await loader.write(block)
        },
        report
      })
      await finish()
      if (read.summary.sha256 !== summary.sha256) throw new Error("the archive was replaced while it was read")
    } catch (error) {
      await loader.abort(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  }

export interface RestoreResult {
  readonly manifest: Manifest
  readonly rows: number
  /** What was settled, by its name and number of rows. */
  readonly settled: Readonly<Record<string, number>>
  /** Where this machine's checkpoints of the replaced audit log are now; null where they agree with the restored log. */
  readonly formerCheckpoints: string | null
}

/** Replaces the database's content by an archive (docs/backup.md). */
export class Restore extends Effect.Service<Restore>()("svc/Restore", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { postgres, sqlite } = yield* Database
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
      return verified
    })

    const load = (location: ArchiveLocation, verified: VerifiedArchive, report: ReportProgress) => {
      if (postgres !== null) {
        return postgres.within((client) => loadRows(makePostgresLoader(client), location, verified, report)())
      }
      if (sqlite === null) return Effect.dieMessage("there is no database")
      return Effect.flatMap(
        sqlite.within((db) => makeSqliteLoader(db)), // the transaction outlives this call, and so may its connection
        (loader) =>
          Effect.tryPromise({
            try: loadRows(loader, location, verified, report),
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
        Effect.flatMap(sql<{ table: string; parent: string }>`SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1`, ([row]) =>
          row === undefined ? Effect.void : new RestoreRefused({
            message: `the archive has rows of ${row.table} that refer to missing rows of ${row.parent}`
          }))
    })

    const requireIntactLog = ({ audit_head }: Manifest) =>
      Effect.gen(function*() {
        const found = Option.getOrNull(yield* verifyLog(sql, keys))
        const isSame = audit_head === null
          ? found === null
          : found?.head.seq === audit_head.seq && found.head.row_hash === audit_head.row_hash
        if (found?.problem == null && isSame) return found !== null
        return yield* new RestoreRefused({
          message: `the audit log of the archive does not verify: ${found?.problem?.detail ?? "its head is another one"}`
        })
      })

    /** Everything of the restore that must be whole or not happen. */
    const replace = Effect.fnUntraced(
      function*(location: ArchiveLocation, verified: VerifiedArchive, report: ReportProgress) {
        const { manifest, summary } = verified
        const now = yield* catalog.tablesAt(migrations.head)
        const then = yield* catalog.tablesAt(manifest.revision)
        return yield* sql.withTransaction(Effect.gen(function*() {
          yield* requireNoBrain(now)
          const counters = yield* readCounters(now)
          const revision = yield* readRevision
          if (manifest.revision < migrations.head) {
            yield* dropTables(now)
            yield* migrations.upgrade(manifest.revision)
          }
          yield* emptyTables(then.filter(({ name }) => name !== "schema_migrations"))
          const indexes = yield* listIndexes(then)
          yield* dropIndexes(indexes)
          yield* load(location, verified, report)
          yield* createIndexes(indexes)
          if (manifest.revision < migrations.head) yield* migrations.upgrade()
          yield* raiseCounters(counters, manifest.sequences)
          yield* requireReferences
          const hasLog = yield* requireIntactLog(manifest)
          const settled = yield* aftermath.settle(manifest, revision)
          const rows = summary.tables.reduce((sum, table) => sum + table.rows, 0)
          audit.committedHead.reset()
          if (hasLog) {
            const { created_at, id, program, audit_head, database } = manifest
            yield* audit.record({
              action: "system.restored",
              target_type: "database",
              target_id: id,
              metadata: {
                backup: { created_at, program, database, revision: manifest.revision, audit_head },
                rows,
                settled
              }
            })
          }
          return { rows, settled }
        }))
      }
    )

    /** Speeds up the load, and is forgotten with the connection. References cannot be switched off in a transaction. */
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

    /** Replaces the database's content by a checked archive, all or nothing. */
    const run = Effect.fn("Restore.run")(
      function*(location: ArchiveLocation, verified: VerifiedArchive, report: ReportProgress) {
        yield* prepareConnection
        const result = yield* replace(location, verified, report)
        yield* Effect.ignore(tidy)
        const formerCheckpoints = yield* cleanUpFork.pipe(
          Effect.provideService(Audit, audit),
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
      Effect.provideService(CurrentActor, system("svc restore"))
    )

    return { check, run } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(RestoreAftermath.layer))
}
