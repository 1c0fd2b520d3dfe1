import { Effect } from "effect"
import { Reader } from "../kernel/sql/Database.ts"

interface DatabaseInfo {
  /** Of PostgreSQL or SQLite. */
  readonly version: string
  /** Bytes. */
  readonly size: number
}

/** Version and size of the database. */
export const readDatabaseInfo = Effect.flatMap(Reader, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      sql<DatabaseInfo>`
        SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS size`,
    orElse: () =>
      sql<DatabaseInfo>`
        SELECT sqlite_version() AS version, (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS size`
  })).pipe(Effect.map(([info]): DatabaseInfo => info ?? { version: "unknown", size: 0 }))
