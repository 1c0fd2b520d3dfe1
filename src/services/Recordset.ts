import type { SqlClient, Statement } from "@effect/sql"

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
  const names = Object.entries(columns)
  return sql.onDialectOrElse({
    pg: () => {
      const typed = names.map((column) => column.join(" ")).join(", ")
      return sql`json_to_recordset(${json}::json) AS ${sql.literal(`${alias}(${typed})`)}`
    },
    orElse: () => {
      const values = names.map(([name]) => `value ->> '${name}' AS ${name}`).join(", ")
      return sql`(SELECT ${sql.literal(values)} FROM json_each(${json})) AS ${sql.literal(alias)}`
    }
  })
}
