import { SqlClient, type SqlError } from "@effect/sql"
import { Data, Effect, Layer } from "effect"
import { MigrationRefused } from "../../../../migrations/Migration.ts"
import { headOf, MigrationList } from "../../../../migrations/MigrationList.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { version } from "../../../domain/kernel/Version.ts"

export interface AppliedMigration {
  readonly id: number
  readonly name: string
  readonly applied_at: string
}

interface AppliedRow extends AppliedMigration {
  readonly compatible_from: number
  /** The version of the program that applied it. */
  readonly program: string | null
}

/** The database was migrated by a newer program, and this one cannot work with it. */
export class SchemaTooNew extends Data.TaggedError("SchemaTooNew")<{
  readonly revision: number
  readonly known: number
  readonly program: string | null
}> {
  override get message() {
    const newer = programLabel(this.program)
    return `The database is at revision ${this.revision}, which ${newer} created; this is svc ${version}, and it knows revisions up ` +
      `to ${this.known}. Start ${newer}, or let it go back: svc migrate downgrade ${this.known}`
  }
}

/** The program that applied a step; null where it was not recorded. */
const programLabel = (program: string | null): string => (program === null ? "a newer svc" : `svc ${program}`)

/** Another program than a release of svc made the tables. */
export class SchemaUnknown extends Data.TaggedError("SchemaUnknown")<{ readonly id: number; readonly name: string }> {
  override get message() {
    return `The database has tables of a build of svc before its first release (its step ${this.id} is "${this.name}"), which ` +
      "this program cannot work with. Nothing was changed. Name an empty database in SVC_DATABASE_URL, or move svc.db out of " +
      "SVC_HOME, and start again"
  }
}

const lockKey = 7_700_001

/**
 * Held by a transaction until its end: serializes replicas that start together, and keeps a brain from starting. SQLite's
 * immediate transaction is exclusive already.
 */
export const lockSchema = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(${lockKey})`),
    orElse: () => Effect.void
  })

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const list = yield* MigrationList
  const head = headOf(list)

  const createTable = sql`CREATE TABLE IF NOT EXISTS schema_migrations (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, compatible_from INTEGER NOT NULL, applied_at TEXT NOT NULL, program TEXT
  )`
  const lock = lockSchema(sql)
  const countTables = sql.onDialectOrElse({
    pg: () =>
      sql<
        { n: number }
      >`SELECT count(*) AS n FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_migrations'`,
    orElse: () =>
      sql<{ n: number }>`SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'`
  })
  const listApplied: Effect.Effect<ReadonlyArray<AppliedRow>, SqlError.SqlError> = Effect.flatMap(
    countTables,
    ([row]) =>
      (row?.n ?? 0) === 0
        ? Effect.succeed([])
        : sql<AppliedRow>`SELECT id, name, compatible_from, applied_at, program FROM schema_migrations ORDER BY id`
  )

  const currentRevision = Effect.map(listApplied, (rows) => rows[rows.length - 1]?.id ?? 0)

  /** Fails unless this program is compatible with the current schema. */
  const checkCompatible = Effect.flatMap(listApplied, (rows): Effect.Effect<void, SchemaTooNew | SchemaUnknown> => {
    const unknown = rows.find(({ id, name }) => list.some((step) => step.id === id && step.name !== name))
    if (unknown !== undefined) return Effect.fail(new SchemaUnknown(unknown))
    const last = rows[rows.length - 1]
    return last !== undefined && rows.some(({ compatible_from, id }) => id > head && compatible_from > head)
      ? Effect.fail(new SchemaTooNew({ revision: last.id, known: head, program: last.program }))
      : Effect.void
  })

  /** Applies every missing step up to `target`, in one transaction; returns the steps applied. */
  const upgrade = (target = head) =>
    sql.withTransaction(
      Effect.gen(function*() {
        yield* lock
        yield* createTable
        const appliedIds = new Set((yield* listApplied).map((row) => row.id))
        yield* checkCompatible
        const missing = list.filter((migration) => migration.id <= target && !appliedIds.has(migration.id))
        for (const migration of missing) {
          yield* migration.up
          const row = {
            id: migration.id,
            name: migration.name,
            compatible_from: migration.compatibleFrom,
            applied_at: yield* Timestamp.now,
            program: version
          }
          yield* sql`INSERT INTO schema_migrations ${sql.insert(row)}`
        }
        return missing
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    )

  /** The steps that a downgrade to `target` undoes, newest first. Fails unless this program can undo each of them. */
  const stepsBack = (target: number) =>
    Effect.gen(function*() {
      const rows = yield* listApplied
      const newest = rows[rows.length - 1]
      const revision = newest?.id ?? 0
      if (newest !== undefined && revision > head) {
        const newer = programLabel(newest.program)
        return yield* new MigrationRefused({
          message:
            `The newest step, revision ${revision}, was applied by ${newer}, and this is svc ${version}, which knows steps ` +
            `up to ${head}. Undo it with ${newer}: svc migrate downgrade ${target}`
        })
      }
      if (target >= revision) {
        return yield* new MigrationRefused({
          message: `The database is at revision ${revision}; a downgrade goes to an earlier one.`
        })
      }
      return list.filter(({ id }) => id > target && id <= revision).reverse()
    })

  /** Undoes the steps after `target`, one after the other in one transaction; returns them. */
  const downgrade = (target: number) =>
    sql.withTransaction(
      Effect.gen(function*() {
        yield* lock
        yield* checkCompatible
        const steps = yield* stepsBack(target)
        for (const { down, id } of steps) {
          yield* down
          yield* sql`DELETE FROM schema_migrations WHERE id = ${id}`
        }
        return steps
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    )

  return {
    head,
    list,
    applied: listApplied,
    current: currentRevision,
    checkCompatible,
    upgrade,
    stepsBack,
    downgrade
  } as const
})

export class Migrations extends Effect.Service<Migrations>()("svc/Migrations", { effect: make }) {
  static readonly layer = this.Default
  /** Migrates at start. */
  static readonly layerUpgrade = Layer.effectDiscard(
    Effect.gen(function*() {
      const migrations = yield* Migrations
      const steps = yield* migrations.upgrade()
      const [first, last] = [steps[0], steps[steps.length - 1]]
      if (first === undefined || last === undefined) return
      // a new database is no news, and an app that embeds the brain prints what is logged
      const log = first.id === 1 ? Effect.logDebug : Effect.logInfo
      yield* log(`migrated the database from revision ${first.id - 1} to ${last.id} (${last.name})`)
    }).pipe(Effect.annotateLogs("logger", "migrations"))
  )
}
