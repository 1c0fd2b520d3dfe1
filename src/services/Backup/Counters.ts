import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { TableColumns } from "./Archive.ts"
import { countedTables } from "./Catalog.ts"

/** The last value of each table's counter, of those that the schema has; 0 before its first row. */
export const readCounters = Effect.fnUntraced(function*(tables: ReadonlyArray<TableColumns>) {
  const sql = yield* SqlClient.SqlClient
  const counted = Object.entries(countedTables).filter(([table]) => tables.some(({ name }) => name === table))
  const entries = yield* Effect.forEach(counted, ([table, column]) =>
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
