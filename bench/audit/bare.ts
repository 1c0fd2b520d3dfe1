import BetterSqlite3 from "better-sqlite3"
import pg from "pg"
import { auditColumnNames, type StoredRow } from "../../src/services/audit/ChainWriter.ts"

/**
 * The driver's own work for a row: the same transaction, lock and statements on copies of the tables, without hashing.
 */
export interface Bare {
  /** Creates the copies, with the tables' rows. */
  readonly copy: () => Promise<void>
  readonly append: (row: StoredRow) => Promise<void>
  readonly end: () => Promise<void>
}

const values = (row: StoredRow): Array<string | number | null> => [
  row.id,
  row.seq,
  row.project_id,
  row.user_id,
  row.api_key_id,
  row.action,
  row.target_type,
  row.target_id,
  row.result,
  row.outcome,
  row.metadata,
  row.source_ip,
  row.user_agent,
  row.event_id,
  row.occurred_at,
  row.row_hash,
  row.prev_row_hmac,
  row.row_hmac,
  row.key_id
]

export const bareSqlite = (file: string): Bare => {
  const db = new BetterSqlite3(file)
  db.pragma("synchronous = FULL")
  db.pragma("cache_size = -65536")
  db.pragma("wal_autocheckpoint = 4000")
  let append: ((row: StoredRow) => void) | undefined
  const prepare = () => {
    const head = db.prepare("SELECT seq, row_hash, row_hmac, key_id FROM bare_head WHERE id = 1")
    const insert = db.prepare(
      `INSERT INTO bare_log (${auditColumnNames}) VALUES (${auditColumnNames.replace(/\w+/g, "?")})`
    )
    const advance = db.prepare("UPDATE bare_head SET seq = ?, row_hash = ?, row_hmac = ? WHERE id = 1")
    const work = db.transaction((row: StoredRow) => {
      head.get()
      insert.run(...values(row))
      advance.run(row.seq, row.row_hash, row.row_hmac)
    })
    return (row: StoredRow): void => work.immediate(row)
  }
  return {
    copy: async () => {
      db.exec("DROP TABLE IF EXISTS bare_log; DROP TABLE IF EXISTS bare_head")
      const statements = db.prepare<[], { sql: string }>(
        "SELECT sql FROM sqlite_master WHERE tbl_name IN ('audit_log', 'audit_head') AND sql IS NOT NULL ORDER BY type DESC"
      ).all()
      for (const { sql } of statements) {
        db.exec(sql.replaceAll("audit_log", "bare_log").replaceAll("audit_head", "bare_head"))
      }
      db.exec("INSERT INTO bare_log SELECT * FROM audit_log; INSERT INTO bare_head SELECT * FROM audit_head")
      append = prepare()
    },
    append: async (row) => append?.(row),
    end: async () => void db.close()
  }
}

export const barePostgres = (url: string, connections: number): Bare => {
  const pool = new pg.Pool({ connectionString: url, max: connections })
  const insert = `WITH appended AS (INSERT INTO bare_log (${auditColumnNames}) VALUES (${
    auditColumnNames.split(",").map((_, n) => `$${n + 1}`).join(", ")
  }))
    UPDATE bare_head SET seq = $2, row_hash = $16, row_hmac = $18 WHERE id = 1`
  return {
    copy: async () => {
      await pool.query("DROP TABLE IF EXISTS bare_log; DROP TABLE IF EXISTS bare_head")
      await pool.query(
        "CREATE TABLE bare_log (LIKE audit_log INCLUDING ALL); CREATE TABLE bare_head (LIKE audit_head INCLUDING ALL)"
      )
      await pool.query("INSERT INTO bare_log SELECT * FROM audit_log; INSERT INTO bare_head SELECT * FROM audit_head")
    },
    append: async (row) => {
      const client = await pool.connect()
      await client.query("BEGIN")
      await client.query("SELECT seq, row_hash, row_hmac, key_id FROM bare_head WHERE id = 1 FOR UPDATE")
      await client.query({ name: "append", text: insert, values: values(row) })
      await client.query("COMMIT")
      client.release()
    },
    end: () => pool.end()
  }
}
