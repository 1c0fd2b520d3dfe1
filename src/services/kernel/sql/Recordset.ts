import type { SqlClient, Statement } from "@effect/sql"

/** How PostgreSQL names the columns of a JSON array of objects, after `json_to_recordset(…) AS`. */
export const recordColumns = (alias: string, columns: Readonly<Record<string, string>>): string =>
  `${alias}(${Object.entries(columns).map((column) => column.join(" ")).join(", ")})`

/**
 * Many rows as one JSON parameter, to be joined as the table `alias`: one statement text whatever the number of rows,
 * so that it stays prepared. Column names and types are the program's own, never a caller's.
 */
export const recordset = (
  sql: SqlClient.SqlClient,
  alias: string,
  columns: Readonly<Record<string, "uuid" | "text" | "integer" | "bigint">>,
  rows: ReadonlyArray<object>
): Statement.Fragment => {
  const json = JSON.stringify(rows)
  return sql.onDialectOrElse({
    pg: () => sql`json_to_recordset(${json}::json) AS ${sql.literal(recordColumns(alias, columns))}`,
    orElse: () => {
      const values = Object.keys(columns).map((name) => `value ->> '${name}' AS ${name}`).join(", ")
      return sql`(SELECT ${sql.literal(values)} FROM json_each(${json})) AS ${sql.literal(alias)}`
    }
  })
}
