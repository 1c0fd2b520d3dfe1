import type { SqlClient } from "@effect/sql"
import { Data, Either } from "effect"
import { addSeconds, type Timestamp, toEpochMillis } from "../../domain/kernel/Timestamp.ts"
import type { SqliteConnection, SqliteStatement } from "../../sqlite/Connection.ts"
import { uuidv7 } from "../kernel/Ids.ts"
import type { KeyRing, SymmetricKey } from "../kernel/keys/KeyRing.ts"
import type { PublicKey } from "../kernel/keys/SigningKeys.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { type ChainedRow, genesis, type Link, rowHash, rowHmac, zeroHash } from "./Chain.ts"
import { CommittedHead, type KnownRow, type LogContradicted, requireRow } from "./CommittedHead.ts"
import { type ActorEntry, rowOf } from "./Row.ts"
import { verifyStatement, Watermark } from "./Statement.ts"

/** The newest row's link, the HMAC before it, and the key that signs the next one. */
export interface HeadLink extends Link {
  readonly prev_row_hmac: string
  readonly key_id: string
}

/** The newest row's link and time, null before the first row. No signature covers the time, so nothing relies on it. */
export interface ChainHead extends HeadLink {
  readonly occurred_at: Timestamp | null
}

/** A row as it is stored. */
export interface StoredRow extends ChainedRow {
  readonly row_hash: string
  readonly prev_row_hmac: string
  readonly row_hmac: string
  readonly key_id: string
}

/** A new key signs the chain, and this process does not have it. */
export class ChainKeyMissing extends Data.TaggedError("ChainKeyMissing")<{ readonly key_id: string }> {
  override get message() {
    return `the audit chain is signed with the key ${this.key_id}, which SVC_AUDIT_CHAIN_KEY of this process does not have; ` +
      "give it the keys that the other replicas have and start it again"
  }
}

/** `audit_head` has a link that this brain's keys did not sign. A row of ours after it would prove it. */
export class HeadForged extends Data.TaggedError("HeadForged")<{ readonly seq: number; readonly why: string }> {
  override get message() {
    return `audit_head names row ${this.seq} as the newest one, and ${this.why}. Nothing is recorded ` +
      "after it or signed for it; run svc audit verify for details"
  }
}

/** The newest row, and the hashes that its own may be computed from: of the row before, or in the watermark. */
export interface NewestRow extends StoredRow {
  readonly hash_before: string | null
  /** The hash of the row with the requested `seq`. */
  readonly hash_there: string | null
  readonly watermark: string | null
}

/** Whether one of our keys signed the newest row. Then its hash, and every row before it, is ours. */
export const isAuthenticHead = (
  keys: KeyRing,
  { key_id, prev_row_hmac, row_hash, row_hmac, seq }: HeadLink
): boolean => {
  if (seq === 0) return row_hash === zeroHash && row_hmac === zeroHash
  const signingKey = keys.find(key_id)
  const isValidFor = ({ key }: SymmetricKey) => rowHmac(key, row_hash, prev_row_hmac) === row_hmac
  return (signingKey !== undefined && isValidFor(signingKey)) || keys.all().some(isValidFor)
}

/** Columns of `audit_log` in the order of the table, with the types that rows as JSON are converted to. */
export const auditColumns = {
  id: "uuid",
  seq: "bigint",
  project_id: "uuid",
  user_id: "uuid",
  api_key_id: "uuid",
  action: "text",
  target_type: "text",
  target_id: "text",
  result: "text",
  outcome: "text",
  metadata: "text",
  source_ip: "text",
  user_agent: "text",
  event_id: "text",
  occurred_at: "text",
  row_hash: "text",
  prev_row_hmac: "text",
  row_hmac: "text",
  key_id: "text"
} as const

export const auditColumnNames = Object.keys(auditColumns).join(", ")

const selectHeadSql = "SELECT seq, row_hash, prev_row_hmac, row_hmac, key_id FROM audit_head WHERE id = 1"
const selectNewestSql =
  `SELECT ${auditColumnNames}, (SELECT b.row_hash FROM audit_log b WHERE b.seq = a.seq - 1) AS hash_before,
  (SELECT statement FROM audit_watermark WHERE id = 1) AS watermark`
const fromNewestSql = "FROM audit_log a ORDER BY seq DESC LIMIT 1"

/** The newest row's time, if the head's HMAC proves the hash that covers it; else null. */
const provenTime = ({ row_hash, seq }: HeadLink, newest: NewestRow | undefined, pruned: Link): Timestamp | null => {
  if (newest === undefined || newest.seq < seq) return null
  if (newest.seq > seq) throw new HeadForged({ seq, why: `row ${newest.seq} is there` })
  const previousHashes = [zeroHash, newest.hash_before, pruned.row_hash]
  const isProven = previousHashes.some((hash) => typeof hash === "string" && rowHash(newest, hash) === row_hash)
  return isProven ? newest.occurred_at : null
}

/**
 * Builds the rows that follow a head. Times and ids rise along `seq` whatever the clocks of the replicas say, because
 * cursors consist of them. Entries of one call share a time that is later than the one before.
 */
export class ChainWriter {
  /** The time of the row with this HMAC, which this process wrote or looked up last. */
  private last: { readonly row_hmac: string; readonly occurred_at: Timestamp | null } | undefined

  /** The newest row that this process wrote and committed. */
  private committed: StoredRow | undefined

  readonly committedHead = new CommittedHead()
  /** Why nothing is written, or null. `audit/Checkpoints.ts` sets and clears it. */
  suspendReason: LogContradicted | null = null

  constructor(private readonly keys: KeyRing, private readonly trusted: ReadonlyMap<string, PublicKey>) {}

  /** Whether this process wrote the newest row, so the row need not be read. */
  hasWritten({ row_hmac }: HeadLink): boolean {
    return this.last?.row_hmac === row_hmac
  }

  /** Call it for committed rows only. */
  remember(row: StoredRow): void {
    this.committedHead.remember(row)
    if (this.committed === undefined || row.seq > this.committed.seq) this.committed = row
  }

  /**
   * The head, as far as this process knows: its newest row, if it has no later one that is uncommitted and has seen none
   * of another replica; else null.
   */
  get expectedHead(): HeadLink | null {
    const { committed } = this
    if (committed === undefined || !this.hasWritten(committed)) return null
    const { newest } = this.committedHead
    return newest === null || newest.seq <= committed.seq ? committed : null
  }

  /** The last row that was pruned, by a statement with a trusted signature. */
  private pruned(newest: NewestRow | undefined): Link {
    const watermark = newest?.watermark ?? null
    return watermark === null
      ? genesis
      : Either.getOrElse(verifyStatement(Watermark, watermark, this.trusted), () => genesis)
  }

  /**
   * The rows, in the order of their entries, and the head after them. `newest` is not needed when this process wrote
   * the head. Its `hash_there` is of `known`, the row that was known to be committed when it was read. Throws ChainKeyMissing,
   * HeadForged and LogContradicted.
   */
  buildRows(
    { head, known, newest }: {
      readonly head: HeadLink
      readonly known: KnownRow | null
      readonly newest: NewestRow | undefined
    },
    entries: ReadonlyArray<ActorEntry>,
    now: Timestamp
  ): { readonly rows: ReadonlyArray<StoredRow>; readonly head: ChainHead } {
    const { key_id } = head
    const key = this.keys.find(key_id)
    if (key === undefined) throw new ChainKeyMissing({ key_id })
    if (!isAuthenticHead(this.keys, head)) throw new HeadForged({ seq: head.seq, why: "its HMAC is not ours" })
    if (this.suspendReason !== null) throw this.suspendReason
    const pruned = this.pruned(newest)
    const isKnown = this.hasWritten(head)
    requireRow(known, head, isKnown ? null : { row_hash: newest?.hash_there ?? null, begin: pruned })
    const previousTime = isKnown && this.last !== undefined ? this.last.occurred_at : provenTime(head, newest, pruned)
    const occurred_at = previousTime === null || now > previousTime ? now : addSeconds(previousTime, 0.000001)
    const millis = toEpochMillis(occurred_at)
    const ids = Array.from(entries, () => uuidv7(millis)).sort()
    let last: Link & { readonly prev_row_hmac: string } = head
    const rows = entries.map((entry, index) => {
      const row = rowOf(entry, { id: ids[index]!, seq: last.seq + 1, occurred_at })
      const row_hash = rowHash(row, last.row_hash)
      const stored = {
        ...row,
        row_hash,
        prev_row_hmac: last.row_hmac,
        row_hmac: rowHmac(key.key, row_hash, last.row_hmac),
        key_id
      }
      last = stored
      return stored
    })
    const { prev_row_hmac, row_hash, row_hmac, seq } = last
    this.last = { row_hmac, occurred_at }
    return { rows, head: { seq, row_hash, prev_row_hmac, row_hmac, key_id, occurred_at } }
  }
}

/** The log's statements on SQLite, each prepared once. Called within a transaction, which holds SQLite's only writer until it ends. */
export class SqliteLog {
  private readonly head: SqliteStatement<[], HeadLink>
  private readonly newest: SqliteStatement<[number], NewestRow>
  private readonly insert: SqliteStatement<[StoredRow]>
  private readonly advance: SqliteStatement<[ChainHead]>

  constructor(db: SqliteConnection, private readonly chain: ChainWriter) {
    const names = Object.keys(auditColumns)
    this.head = db.prepare(selectHeadSql)
    this.newest = db.prepare(
      `${selectNewestSql}, (SELECT c.row_hash FROM audit_log c WHERE c.seq = ?) AS hash_there ${fromNewestSql}`
    )
    this.insert = db.prepare(
      `INSERT INTO audit_log (${auditColumnNames}) VALUES (${names.map((name) => `@${name}`).join(", ")})`
    )
    this.advance = db.prepare(
      `UPDATE audit_head SET seq = @seq, row_hash = @row_hash, prev_row_hmac = @prev_row_hmac, row_hmac = @row_hmac,
        occurred_at = @occurred_at WHERE id = 1`
    )
  }

  append(entries: ReadonlyArray<ActorEntry>, at: Timestamp): ReadonlyArray<StoredRow> {
    const before = this.head.get()
    if (before === undefined) throw new Error("audit_head has no row")
    const known = this.chain.committedHead.newest
    const newest = this.chain.hasWritten(before) ? undefined : this.newest.get(known?.seq ?? 0)
    const { head, rows } = this.chain.buildRows({ head: before, known, newest }, entries, at)
    for (const row of rows) this.insert.run(row)
    this.advance.run(head)
    return rows
  }
}

/** The log's statements on PostgreSQL. */
export const makePostgresLog = (sql: SqlClient.SqlClient) => {
  const names = sql.literal(auditColumnNames)
  const insertRows = (rows: ReadonlyArray<StoredRow>) =>
    sql`INSERT INTO audit_log (${names}) SELECT ${names} FROM ${recordset(sql, "r", auditColumns, rows)}`
  const updateHead = ({ occurred_at, prev_row_hmac, row_hash, row_hmac, seq }: ChainHead) =>
    sql`UPDATE audit_head SET seq = ${seq}, row_hash = ${row_hash}, prev_row_hmac = ${prev_row_hmac}, row_hmac = ${row_hmac},
      occurred_at = ${occurred_at}`
  const isHead = ({ key_id, prev_row_hmac, row_hash, row_hmac, seq }: HeadLink) => [
    sql`seq = ${seq}`,
    sql`row_hash = ${row_hash}`,
    sql`prev_row_hmac = ${prev_row_hmac}`,
    sql`row_hmac = ${row_hmac}`,
    sql`key_id = ${key_id}`
  ]
  return {
    /** Its lock serializes the writers of all replicas until they commit. */
    head: sql<HeadLink>`${sql.literal(selectHeadSql)} FOR UPDATE`,
    /** Not in the statement before: that one sees the rows as they were when it began to wait for the lock. */
    newest: (seq: number) =>
      sql<NewestRow>`${sql.literal(selectNewestSql)},
        (SELECT c.row_hash FROM audit_log c WHERE c.seq = ${seq}) AS hash_there ${sql.literal(fromNewestSql)}`,
    append: (rows: ReadonlyArray<StoredRow>, head: ChainHead) =>
      sql`WITH appended AS (${insertRows(rows)}) ${updateHead(head)} WHERE id = 1`,
    /**
     * The common table expressions of a statement that writes more: `head` has a row if `expected` was the head, and only
     * then the rows are appended.
     */
    appendAfter: (expected: HeadLink, rows: ReadonlyArray<StoredRow>, head: ChainHead) =>
      sql`head AS (${updateHead(head)} WHERE ${sql.and([sql`id = 1`, ...isHead(expected)])} RETURNING id),
        appended AS (${insertRows(rows)} WHERE EXISTS (SELECT 1 FROM head))`
  }
}
