import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { Migrations } from "../../kernel/sql/Migrations.ts"
import type { TableColumns } from "../Backup/Archive.ts"
import type { CatalogTable } from "../Backup/Catalog.ts"
import { countedTables } from "../Backup/Counters.ts"
import { quoteName } from "../Backup/Rows.ts"

/**
 * How far counters jump. What the database counted between the backup and its loss is unknown, and a number that was used
 * then must not come again: a fencing number, the epoch of a publication, the revision of a schedule.
 */
export const counterGap = 1_000_000

/** An index that is not part of a constraint, by the statement that creates it. */
interface IndexRow {
  readonly name: string
  readonly definition: string
}

/** Loading rows into a table and then indexing it is faster than to keep its indexes during the load. */
const listIndexes = (tables: ReadonlyArray<TableColumns>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const names = tables.map(({ name }) => name)
    return sql.onDialectOrElse({
      pg: () =>
        sql<IndexRow>`SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
          FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
          WHERE t.relnamespace = current_schema()::regnamespace AND t.relname = ANY(${names}) AND NOT t.relispartition
            AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid) ORDER BY 1`,
      orElse: () =>
        sql<IndexRow>`SELECT name, sql AS definition FROM sqlite_master
          WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ${sql.in(names)} ORDER BY 1`
    })
  })

/** An object that another program created, which uses or refers to tables of svc. */
interface Dependent {
  /** As PostgreSQL describes it, such as `view report`. */
  readonly name: string
  readonly is_constraint: boolean
}

/**
 * What keeps PostgreSQL from dropping the tables: views, foreign keys of other tables, functions that return rows of a
 * table. What PostgreSQL drops with a table, such as a trigger, is not among them. SQLite drops and empties every table.
 */
export const listDependents = (tables: ReadonlyArray<TableColumns>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.onDialectOrElse({
      pg: () =>
        sql<Dependent>`WITH named AS (
            SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(${
          tables.map(({ name }) => name)
        })
          ), ours AS (
            SELECT oid, reltype FROM pg_class WHERE oid IN (SELECT oid FROM named)
              OR (relispartition AND pg_partition_root(oid) IN (SELECT oid FROM named))
          )
          SELECT DISTINCT CASE WHEN r.ev_class IS NULL THEN pg_describe_object(d.classid, d.objid, d.objsubid)
              ELSE pg_describe_object('pg_class'::regclass, r.ev_class, 0) END AS name,
            d.classid = 'pg_constraint'::regclass AS is_constraint
          FROM pg_depend d
          JOIN ours o ON (d.refclassid = 'pg_class'::regclass AND d.refobjid = o.oid)
            OR (d.refclassid = 'pg_type'::regclass AND d.refobjid = o.reltype)
          LEFT JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
          WHERE d.deptype = 'n' AND NOT EXISTS (
            SELECT 1 FROM pg_depend own JOIN ours ON own.refclassid = 'pg_class'::regclass AND own.refobjid = ours.oid
            WHERE own.classid = d.classid AND own.objid = d.objid AND own.deptype <> 'n')
          ORDER BY 1`,
      orElse: () => Effect.succeed<ReadonlyArray<Dependent>>([])
    }))

const dropIndexes = (indexes: ReadonlyArray<IndexRow>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.forEach(indexes, ({ name }) => sql`DROP INDEX ${sql(name)}`, { discard: true })
  )

/** PostgreSQL names the partitioned table's definition `ON ONLY`, which would leave its partitions without the index. */
const createIndexes = (indexes: ReadonlyArray<IndexRow>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      Effect.forEach(indexes, ({ definition }) => sql.unsafe(definition.replace(" ON ONLY ", " ON ")), {
        discard: true
      })
  )

/** Deletes all rows of the tables. */
const emptyTables = (tables: ReadonlyArray<TableColumns>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.onDialectOrElse({
      pg: () => Effect.asVoid(sql.unsafe(`TRUNCATE ${tables.map(({ name }) => quoteName(name)).join(", ")}`)),
      orElse: () => Effect.forEach(tables, ({ name }) => sql`DELETE FROM ${sql(name)}`, { discard: true })
    }))

/** Drops the tables; those that refer to others come first. */
const dropTables = (tables: ReadonlyArray<TableColumns>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.forEach(tables.toReversed(), ({ name }) => sql`DROP TABLE ${sql(name)}`, { discard: true })
  )

export interface SchemaChange {
  /** The tables of this program's schema. */
  readonly headTables: ReadonlyArray<CatalogTable>
  /** The tables of the archive's schema, which is that of `revision`. */
  readonly archiveTables: ReadonlyArray<CatalogTable>
  readonly revision: number
}

/**
 * Replaces all rows by those that `load` writes, and the tables too where the archive has an older revision, which is
 * migrated upward.
 */
export const replaceTables = <E, R>(
  { archiveTables, headTables, revision }: SchemaChange,
  load: Effect.Effect<void, E, R>
) =>
  Effect.gen(function*() {
    const migrations = yield* Migrations
    const isOlder = revision < migrations.head
    const formerIndexes = yield* listIndexes(headTables)
    if (isOlder) {
      yield* dropTables(headTables)
      yield* migrations.upgrade(revision)
    }
    yield* emptyTables(archiveTables.filter(({ name }) => name !== "schema_migrations"))
    const indexes = yield* listIndexes(archiveTables)
    yield* dropIndexes(indexes)
    yield* load
    yield* createIndexes(indexes)
    if (!isOlder) return
    yield* migrations.upgrade()
    // indexes that no migration creates, such as those of searches, were dropped with the former tables
    const names = new Set((yield* listIndexes(headTables)).map(({ name }) => name))
    yield* createIndexes(formerIndexes.filter(({ name }) => !names.has(name)))
  })

/** Sets the counters behind every number that was used, here or where the backup was made. */
export const raiseCounters = (
  tables: ReadonlyArray<CatalogTable>,
  ...counters: ReadonlyArray<Readonly<Record<string, number>>>
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    for (const [table, column] of countedTables(tables)) {
      const last = Math.max(...counters.map((known) => known[table] ?? 0)) + counterGap
      yield* sql.onDialectOrElse({
        pg: () => Effect.asVoid(sql`SELECT setval(pg_get_serial_sequence(${table}, ${column}), ${last})`),
        orElse: () =>
          Effect.zipRight(
            sql`DELETE FROM sqlite_sequence WHERE name = ${table}`,
            Effect.asVoid(sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${table}, ${last})`)
          )
      })
    }
  })
