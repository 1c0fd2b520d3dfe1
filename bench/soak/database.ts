import BetterSqlite3 from "better-sqlite3"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"

type Row = Readonly<Record<string, unknown>>

export interface TableSize {
  readonly rows: number
  readonly bytes: number
}

/** The brains' database, read from outside on a connection of its own. */
export interface Observer {
  readonly query: (statement: string) => Promise<ReadonlyArray<Row>>
  /** Rows and bytes, with indices, of each table; partitions are counted with theirs. */
  readonly tables: () => Promise<ReadonlyMap<string, TableSize>>
  /** Connections of the brains to the server; 0 on SQLite. */
  readonly connections: () => Promise<number>
  readonly close: () => Promise<void>
}

export const sqliteObserver = (file: string): Observer => {
  const db = new BetterSqlite3(file, { readonly: true, timeout: 10_000 })
  const query = async (statement: string) => db.prepare(statement).all() as ReadonlyArray<Row> // rows are objects
  return {
    query,
    tables: async () => {
      const sizes = await query(`SELECT m.tbl_name AS name, sum(s.pgsize) AS bytes FROM dbstat s
        JOIN sqlite_master m ON m.name = s.name WHERE s.aggregate = TRUE GROUP BY m.tbl_name`)
      const counted = sizes.map(({ bytes, name }) => {
        const row = db.prepare(`SELECT count(*) AS rows FROM "${String(name)}"`).get() as Row // one row
        return [String(name), { rows: Number(row.rows), bytes: Number(bytes) }] as const
      })
      return new Map(counted)
    },
    connections: async () => 0,
    close: async () => void db.close()
  }
}

export const postgresObserver = async (url: string): Promise<Observer> => {
  const client = new pg.Client({ connectionString: url, application_name: "soak" })
  await client.connect()
  const query = async (statement: string): Promise<ReadonlyArray<Row>> => (await client.query(statement)).rows
  return {
    query,
    tables: async () => {
      const sizes = await query(`SELECT c.relname AS name,
          CASE WHEN c.relkind = 'r' THEN pg_total_relation_size(c.oid)
            ELSE (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(c.oid)) END AS bytes
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition`)
      const tables = new Map<string, TableSize>()
      for (const { bytes, name } of sizes) {
        const [row] = await query(`SELECT count(*) AS rows FROM "${String(name)}"`)
        tables.set(String(name), { rows: Number(row?.rows), bytes: Number(bytes) })
      }
      return tables
    },
    connections: async () => {
      const [row] = await query(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'soak'"
      )
      return Number(row?.n)
    },
    close: () => client.end()
  }
}

/** Bytes of the files in the folder, by the start of their names. */
export const filesOf = (folder: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, statSync(join(folder, name)).size])
  )
