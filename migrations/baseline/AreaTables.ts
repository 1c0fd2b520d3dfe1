import type { SqlClient, SqlError } from "@effect/sql"
import type { Effect } from "effect"

/** The tables of one area in the first release. */
export interface AreaTables {
  /** In the order of their creation: a table after those that it refers to. */
  readonly names: ReadonlyArray<string>
  /** Creates the tables with their indexes, and the rows that they begin with. */
  readonly create: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
}
