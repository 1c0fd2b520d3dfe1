import { Context, type Effect } from "effect"
import type { TableColumns } from "./Archive.ts"

export interface CatalogTable extends TableColumns {
  /** The column that the database counts; null: none. */
  readonly counter: string | null
}

/**
 * The tables of a revision of the schema, a table after those that it refers to. The list comes from the migrations
 * themselves (`layers/Catalog.ts`), so a new table cannot be forgotten, and other tables in the same database are neither
 * archived nor deleted.
 */
export class Catalog extends Context.Tag("svc/Catalog")<Catalog, {
  readonly tablesAt: (revision: number) => Effect.Effect<ReadonlyArray<CatalogTable>>
}>() {}

/**
 * Tables whose rows are not archived. `schema_migrations` is the manifest's revision. A lease belongs to a process that
 * runs now; only its counter is archived, so that fencing numbers grow also in a new database.
 */
export const unarchivedTables: ReadonlySet<string> = new Set(["schema_migrations", "leases"])

/** The tables whose rows an archive has, as its manifest lists them. */
export const archivedTables = (tables: ReadonlyArray<CatalogTable>): ReadonlyArray<TableColumns> =>
  tables.filter(({ name }) => !unarchivedTables.has(name)).map(({ columns, name }) => ({ name, columns }))
