import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { checkpointPath } from "../audit/CheckpointFile.ts"
import { whileNoBrainRuns } from "../kernel/RunningBrains.ts"
import { Settings } from "../kernel/Settings.ts"
import { Database } from "../kernel/sql/Database.ts"
import { Migrations } from "../kernel/sql/Migrations.ts"
import { SchemaTables } from "../kernel/sql/SchemaTables.ts"

/**
 * Wipes the database to what `svc migrate upgrade` makes of an empty one, and creates the tables again (docs/operations.md,
 * Start again). Tables that the migrations did not create stay. It needs no keys, so that it works after their loss, and
 * therefore appends no row to an audit log: the log is wiped too.
 */
export class Reset extends Effect.Service<Reset>()("svc/Reset", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const fs = yield* FileSystem.FileSystem
    const migrations = yield* Migrations
    const tables = yield* SchemaTables
    const settings = yield* Settings
    const database = yield* Database

    /** Foreign keys do not matter on SQLite, see `wipe`; PostgreSQL resolves those between the tables of one statement. */
    const dropTables = sql.onDialectOrElse({
      // without CASCADE: a view or table of another program that refers to ours must fail the reset, not vanish
      pg: () => sql`DROP TABLE IF EXISTS ${sql.csv(tables.map((name) => sql`${sql(name)}`))}`,
      orElse: () => Effect.forEach(tables, (name) => sql`DROP TABLE IF EXISTS ${sql(name)}`, { discard: true })
    })

    const recreateTables = Effect.gen(function*() {
      yield* migrations.checkCompatible
      yield* dropTables
      yield* migrations.upgrade()
    })

    /** With foreign keys SQLite would read each row of a table that it drops. VACUUM takes the rows out of the file. */
    const wipeSqlite = Effect.gen(function*() {
      yield* sql`PRAGMA foreign_keys = OFF`
      yield* sql.withTransaction(recreateTables)
      yield* sql`PRAGMA foreign_keys = ON`
      yield* sql`VACUUM`
      yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
    })

    /**
     * The checkpoints of this machine name rows of the wiped log, so the next start would report them as lost. Returns the
     * file's new path, or null when there is none.
     */
    const renameCheckpoints = Effect.gen(function*() {
      const path = checkpointPath(settings)
      if (!(yield* fs.exists(path))) return null
      const archivePath = `${path}.${(yield* Timestamp.now).replaceAll(":", "-")}`
      yield* fs.rename(path, archivePath)
      return archivePath
    })

    /** Fails with BrainRunning while a brain runs, and with SchemaTooNew on the schema of a newer program. */
    const wipe = Effect.fn("Reset.wipe")(function*() {
      yield* whileNoBrainRuns(sql.onDialectOrElse({ pg: () => recreateTables, orElse: () => wipeSqlite }))
      return { checkpoints: yield* renameCheckpoints, revision: migrations.head } as const
    }, (self) =>
      self.pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provideService(Database, database),
        Effect.provideService(FileSystem.FileSystem, fs)
      ))

    return { wipe } as const
  })
}) {
  static readonly layer = this.Default
}
