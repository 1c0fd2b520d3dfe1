import { SqlClient } from "@effect/sql"
import type BetterSqlite3 from "better-sqlite3"
import { Effect, Option } from "effect"
import * as Timestamp from "../domain/Timestamp.ts"
import { afterCommit } from "./AfterCommit.ts"
import { Chain, ChainKeyMissing, HeadForged, postgresLog, SqliteLog, type StoredRow } from "./Audit/Append.ts"
import { LogContradicted } from "./Audit/Committed.ts"
import type { ByActor, Entry } from "./Audit/Row.ts"
import { AuditForwarder } from "./AuditForwarder.ts"
import { CurrentActor } from "./CurrentActor.ts"
import { Database, orDieOnSql } from "./Database.ts"
import { Keys } from "./Keys.ts"

export type { ByActor, Entry } from "./Audit/Row.ts"

/** Appends to the audit log (`docs/audit.md`). Who verifies and prunes it is in `Audit/`. */
export class Audit extends Effect.Service<Audit>()("svc/Audit", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const database = yield* Database
    const forwarder = yield* AuditForwarder
    const { auditChain, auditSigning } = yield* Keys

    const chain = new Chain(auditChain, auditSigning.trusted)
    const remember = (rows: ReadonlyArray<StoredRow>) =>
      Effect.sync(() => {
        const newest = rows.at(-1)
        if (newest !== undefined) chain.committed.remember(newest)
      })

    let log: SqliteLog | undefined
    /**
     * As `recordAll`, for code that writes within `Database.sqlite.write` itself; SQLite only. The rows go last in the
     * transaction, and are told to `committed` after it. Throws what SQLite throws, ChainKeyMissing, HeadForged and LogContradicted.
     */
    const recordOn = (
      db: BetterSqlite3.Database,
      entries: ReadonlyArray<ByActor>,
      at: Timestamp.Timestamp
    ): ReadonlyArray<StoredRow> => (entries.length === 0 ? [] : (log ??= new SqliteLog(db, chain)).append(entries, at))

    const postgres = postgresLog(sql)
    const onPostgres = Effect.fnUntraced(function*(entries: ReadonlyArray<ByActor>) {
      const [head] = yield* postgres.head
      if (head === undefined) return yield* Effect.dieMessage("audit_head has no row")
      const [newest] = chain.knows(head) ? [] : yield* postgres.newest(chain.committed.newest?.seq ?? 0)
      const next = chain.follow(head, newest, entries, yield* Timestamp.now)
      yield* postgres.append(next.rows, next.head)
      return next.rows
    })

    /**
     * Appends a row for each, in their order and in the caller's transaction: all or none. The head row is the lock
     * that keeps one chain with several replicas, so call it last in the transaction. Dies without one.
     */
    const recordAll = Effect.fn("Audit.recordAll")(function*(entries: ReadonlyArray<ByActor>) {
      if (Option.isNone(yield* Effect.serviceOption(SqlClient.TransactionConnection))) {
        return yield* Effect.dieMessage(`${entries[0]?.entry.action} was to be recorded outside of a transaction`)
      }
      if (entries.length === 0) return
      const { sqlite } = database
      const at = yield* Timestamp.now
      const rows = yield* (sqlite === null
        ? onPostgres(entries)
        : sqlite.within((db) => recordOn(db, entries, at)).pipe(
          Effect.catchIf(
            ({ cause }) => cause instanceof ChainKeyMissing || cause instanceof HeadForged || cause instanceof LogContradicted,
            ({ cause }) => Effect.die(cause)
          )
        ))
      yield* afterCommit(remember(rows))
      yield* forwarder.afterCommit(rows)
    }, orDieOnSql)

    /** Appends one row of the current actor, as `recordAll` does. */
    const record = Effect.fn("Audit.record")(function*(entry: Entry) {
      yield* recordAll([{ actor: yield* CurrentActor, entry }])
    })

    return {
      record,
      recordAll,
      recordOn,
      /** Hears of the rows of `recordOn`, once they are committed. */
      committed: (rows: ReadonlyArray<StoredRow>) => Effect.zipRight(remember(rows), forwarder.offer(rows)),
      /** The newest row that is known to be committed. */
      known: chain.committed,
      /** Why nothing is written, or null. */
      refusal: Effect.sync(() => chain.refusal),
      /** From now on nothing is written, until `resume`. */
      refuse: (why: LogContradicted) => Effect.sync(() => void (chain.refusal = why)),
      resume: Effect.sync(() => void (chain.refusal = null))
    } as const
  })
}) {
  static readonly layer = this.Default
}
