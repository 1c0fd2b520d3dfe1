import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { Migrations } from "../services/kernel/sql/Migrations.ts"
import type { ColumnKind } from "../services/operations/Backup/Archive.ts"
import { Catalog, type CatalogTable } from "../services/operations/Backup/Catalog.ts"
import * as Sqlite from "./Sqlite.ts"

/** The types of `migrations/types.ts`, as SQLite has them. Another type needs a decision how archives write it. */
const kinds: ReadonlyMap<string, ColumnKind> = new Map([
  ["TEXT", "text"],
  ["INTEGER", "integer"],
  ["DOUBLE PRECISION", "real"]
])

interface ColumnRow {
  readonly table: string
  readonly name: string
  readonly type: string
  /** 1: SQLite counts the column (`types.serial` of the migrations). */
  readonly is_counted: number
}

interface ReferenceRow {
  readonly table: string
  readonly parent: string
}

const columnOf = ({ name, table, type }: ColumnRow) => {
  const kind = kinds.get(type.toUpperCase())
  return kind === undefined
    ? Effect.dieMessage(`${table}.${name} has the type ${type}, which archives do not have yet`)
    : Effect.succeed({ name, kind })
}

/** Tables after those that they refer to, else by name. No table refers to itself. */
const sortByReference = (tables: ReadonlyArray<CatalogTable>, references: ReadonlyArray<ReferenceRow>) => {
  const sorted: Array<CatalogTable> = []
  const add = (table: CatalogTable): void => {
    if (sorted.includes(table)) return
    for (const { parent } of references.filter((one) => one.table === table.name && one.parent !== table.name)) {
      const parentTable = tables.find(({ name }) => name === parent)
      if (parentTable !== undefined) add(parentTable)
    }
    sorted.push(table)
  }
  for (const table of tables) add(table)
  return sorted
}

const readTables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const isOurs = sql.literal("m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
  const columns = yield* sql<ColumnRow>`SELECT m.name AS "table", c.name AS name, c.type AS type,
      c.pk = 1 AND m.sql LIKE '%AUTOINCREMENT%' AS is_counted
    FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE ${isOurs} ORDER BY m.name, c.cid`
  const references = yield* sql<ReferenceRow>`SELECT DISTINCT m.name AS "table", f."table" AS parent
    FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE ${isOurs} ORDER BY 1, 2`
  const names = [...new Set(columns.map(({ table }) => table))]
  const tables = yield* Effect.forEach(names, (name) => {
    const own = columns.filter(({ table }) => table === name)
    const counter = own.find(({ is_counted }) => is_counted === 1)?.name ?? null
    return Effect.map(Effect.forEach(own, columnOf), (found) => ({ name, columns: found, counter }))
  })
  return sortByReference(tables, references)
})

/** Runs the migrations on an empty SQLite database in memory, which takes some 30 ms, and reads what they created. */
export const layer = Layer.succeed(Catalog, {
  tablesAt: (revision) =>
    Effect.gen(function*() {
      const { writer } = yield* Sqlite.makeSqlite(":memory:", () => {})
      const provideDatabase = Effect.provideService(SqlClient.SqlClient, writer)
      const { upgrade } = yield* Migrations.pipe(
        Effect.provide(Migrations.layer),
        provideDatabase
      )
      yield* upgrade(revision)
      return yield* provideDatabase(readTables)
    }).pipe(Effect.scoped, Effect.orDie)
})
