import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { CatalogTable } from "./Catalog.ts"

/** The tables whose ids the database counts, with the counting column. */
export const countedTables = (tables: ReadonlyArray<CatalogTable>): ReadonlyArray<readonly [string, string]> =>
  tables.flatMap(({ counter, name }) => (counter === null ? [] : [[name, counter]]))

/** The last value of each counter, by its table; 0 before the first row. */
export const readCounters = Effect.fnUntraced(function*(tables: ReadonlyArray<CatalogTable>) {
  const sql = yield* SqlClient.SqlClient
  const entries = yield* Effect.forEach(countedTables(tables), ([table, column]) =>
    Effect.map(
      sql.onDialectOrElse({
        pg: () =>
          sql<{ last: number | null }>`SELECT last_value AS last FROM pg_sequences
            WHERE schemaname = current_schema() AND format('%I.%I', schemaname, sequencename) =
              pg_get_serial_sequence(${table}, ${column})`,
        orElse: () => sql<{ last: number | null }>`SELECT seq AS last FROM sqlite_sequence WHERE name = ${table}`
      }),
      ([row]) => [table, row?.last ?? 0] as const
    ))
  return Object.fromEntries(entries)
})
