import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Option } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { SqliteConnection } from "../../sqlite/Connection.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { runAfterCommit } from "../kernel/sql/AfterCommit.ts"
import { Database, orDieOnSql } from "../kernel/sql/Database.ts"
import { AuditForwarder } from "./AuditForwarder.ts"
import { ChainKeyMissing, ChainWriter, HeadForged, makePostgresLog, SqliteLog, type StoredRow } from "./ChainWriter.ts"
import { LogContradicted } from "./CommittedHead.ts"
import type { ActorEntry, AuditEntry } from "./Row.ts"

export { type ActorEntry, type AuditEntry, auditEntry } from "./Row.ts"

/** Makes a defect of the failure of a transaction in which the log refused its rows (`recordOnSqlite`). */
export const dieOnRefusal = <A, R>(
  self: Effect.Effect<A, SqlError.SqlError, R>
): Effect.Effect<A, SqlError.SqlError, R> =>
  Effect.catchIf(
    self,
    ({ cause }) => cause instanceof ChainKeyMissing || cause instanceof HeadForged || cause instanceof LogContradicted,
    ({ cause }) => Effect.die(cause)
  )

/** Appends to the audit log (`docs/audit.md`). The folder `Audit/` verifies and prunes it. */
export class Audit extends Effect.Service<Audit>()("svc/Audit", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const database = yield* Database
    const forwarder = yield* AuditForwarder
    const { auditChain, auditSigning } = yield* Keys

    const chain = new ChainWriter(auditChain, auditSigning.trusted)
    const remember = (rows: ReadonlyArray<StoredRow>) =>
      Effect.sync(() => {
        const newest = rows.at(-1)
        if (newest !== undefined) chain.remember(newest)
      })

    let sqliteLog: SqliteLog | undefined
    /**
     * `recordAll` for code that writes within `Database.sqlite.write` itself; SQLite only. Call it last in the
     * transaction, and `onCommitted` with the rows after it. Throws what SQLite throws, ChainKeyMissing, HeadForged and LogContradicted.
     */
    const recordOnSqlite = (
      db: SqliteConnection,
      entries: ReadonlyArray<ActorEntry>,
      at: Timestamp.Timestamp
    ): ReadonlyArray<
      StoredRow
    > => (entries.length === 0 ? [] : (sqliteLog ??= new SqliteLog(db, chain)).append(entries, at))

    const postgres = makePostgresLog(sql)
    const appendOnPostgres = Effect.fnUntraced(function*(entries: ReadonlyArray<ActorEntry>) {
      const [head] = yield* postgres.head
      if (head === undefined) return yield* Effect.dieMessage("audit_head has no row")
      const known = chain.committedHead.newest // before the read: the checkpoint loop may move it during the read
      const [newest] = chain.hasWritten(head) ? [] : yield* postgres.newest(known?.seq ?? 0)
      const next = chain.buildRows({ head, known, newest }, entries, yield* Timestamp.now)
      yield* postgres.append(next.rows, next.head)
      return next.rows
    })

    /**
     * For one statement that appends the rows itself and needs no transaction of several; PostgreSQL only. It begins
     * `WITH ${append} …`, writes only `WHERE EXISTS (SELECT 1 FROM head)`, and then `onCommitted` takes the rows. Without a row
     * in `head` another replica wrote last, and nothing is appended. Null when this process has not written the newest row.
     * Dies as `recordAll` does. The statement locks the head first, so it must not wait for rows of other transactions.
     */
    const buildAppend = Effect.fnUntraced(function*(entries: ReadonlyArray<ActorEntry>) {
      const now = yield* Timestamp.now
      const expected = chain.expectedHead
      if (expected === null) return null
      const { head, rows } = chain.buildRows({ head: expected, known: expected, newest: undefined }, entries, now)
      return { append: postgres.appendAfter(expected, rows, head), rows }
    })

    /**
     * Appends a row for each entry, in their order and in the caller's transaction: all or none. It locks the head row,
     * which serializes all replicas, so call it last in the transaction. Dies without one.
     */
    const recordAll = Effect.fn("Audit.recordAll")(function*(entries: ReadonlyArray<ActorEntry>) {
      if (Option.isNone(yield* Effect.serviceOption(SqlClient.TransactionConnection))) {
        return yield* Effect.dieMessage(`${entries[0]?.entry.action} was to be recorded outside of a transaction`)
      }
      if (entries.length === 0) return
      const { sqlite } = database
      const at = yield* Timestamp.now
      const rows = yield* (sqlite === null
        ? appendOnPostgres(entries)
        : dieOnRefusal(sqlite.within((db) => recordOnSqlite(db, entries, at))))
      yield* runAfterCommit(remember(rows))
      yield* forwarder.afterCommit(rows)
    }, orDieOnSql)

    /** Appends one row of the current actor, as `recordAll` does. */
    const record = Effect.fn("Audit.record")(function*(entry: AuditEntry) {
      yield* recordAll([{ actor: yield* CurrentActor, entry }])
    })

    return {
      record,
      recordAll,
      recordOnSqlite,
      buildAppend,
      /** Takes the rows of `recordOnSqlite` and `buildAppend` after their commit. */
      onCommitted: (rows: ReadonlyArray<StoredRow>) => Effect.zipRight(remember(rows), forwarder.offer(rows)),
      /** The newest row that is known to be committed. */
      committedHead: chain.committedHead,
      /** Why nothing is written, or null. */
      suspendReason: Effect.sync(() => chain.suspendReason),
      /** Stops all writes until `resumeWrites`. */
      suspendWrites: (why: LogContradicted) => Effect.sync(() => void (chain.suspendReason = why)),
      resumeWrites: Effect.sync(() => void (chain.suspendReason = null))
    } as const
  })
}) {
  static readonly layer = this.Default
}
