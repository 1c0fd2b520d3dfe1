import type BetterSqlite3 from "better-sqlite3"
import type { Timestamp } from "../../domain/Timestamp.ts"
import { appended, type AuditRow, type ByActor, columns, type Head } from "../Audit.ts"
import { genesis } from "./Chain.ts"

// the cast: the record has no other keys
const names = Object.keys(columns) as ReadonlyArray<keyof AuditRow>

/** `Audit.recordAll` for who writes on SQLite's own connection, in its one immediate transaction and last in it. */
export class SqliteAudit {
  private readonly head: BetterSqlite3.Statement<[], Head>
  private readonly insert: BetterSqlite3.Statement<Array<string | number | null>>
  private readonly move: BetterSqlite3.Statement<[Head]>

  /** `key` is that of the chain. */
  constructor(db: BetterSqlite3.Database, private readonly key: Buffer) {
    this.head = db.prepare<[], Head>("SELECT seq, row_hmac, occurred_at FROM audit_head WHERE id = 1")
    this.insert = db.prepare<Array<string | number | null>>(
      `INSERT INTO audit_log (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`
    )
    this.move = db.prepare<[Head]>(
      `INSERT INTO audit_head (id, seq, row_hmac, occurred_at) VALUES (1, @seq, @row_hmac, @occurred_at)
       ON CONFLICT (id) DO UPDATE
       SET seq = excluded.seq, row_hmac = excluded.row_hmac, occurred_at = excluded.occurred_at`
    )
  }

  /** The rows, which are to be told to `Audit.committed` once they are. */
  recordAll(entries: ReadonlyArray<ByActor>, now: Timestamp): ReadonlyArray<AuditRow> {
    if (entries.length === 0) return []
    const before = this.head.get() ?? { seq: 0, row_hmac: genesis, occurred_at: null }
    const { head, rows } = appended(this.key, before, entries, now)
    for (const row of rows) this.insert.run(...names.map((name) => row[name]))
    this.move.run(head)
    return rows
  }
}
