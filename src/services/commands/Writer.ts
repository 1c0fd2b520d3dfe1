import { SqlClient, type SqlError } from "@effect/sql"
import { Deferred, Effect, Exit, Option, Order, Queue } from "effect"
import type { Actor } from "../../domain/kernel/Actor.ts"
import { idempotencyRetentionSeconds } from "../../domain/kernel/Idempotency.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { type ActorEntry, Audit, type AuditEntry, dieOnRefusal } from "../audit/Audit.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Database, type SqliteAccess } from "../kernel/sql/Database.ts"
import type { CommandRow, NewCommand } from "./Model.ts"
import { CommandsRepo } from "./Repo.ts"

/** Commands per transaction. */
const batchSize = 100

/** Queue capacity. Further callers suspend on `offer`. */
const capacity = 1000

/** A new command with its audit rows. */
export interface CommandInsert {
  readonly command: NewCommand
  readonly actor: Actor
  readonly entries: ReadonlyArray<AuditEntry>
}

const byIdempotencyKey = Order.mapInput(Order.string, ({ command }: CommandInsert) => command.idempotency_key ?? "")

const entriesOf = (inserts: ReadonlyArray<CommandInsert>): ReadonlyArray<ActorEntry> =>
  inserts.flatMap(({ actor, entries }) => entries.map((entry) => ({ actor, entry })))

interface PendingInsert extends CommandInsert {
  /** None: another command has the idempotency key. */
  readonly done: Deferred.Deferred<Option.Option<CommandRow>, SqlError.SqlError>
}

/**
 * Inserts new commands in batches, each a transaction. The audit chain serialises transactions, and a commit waits for
 * the disk, so that one transaction per command would be slower.
 */
export const makeCommandWriter = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const database = yield* Database
  const repo = yield* CommandsRepo
  const audit = yield* Audit
  const loops = yield* Loops
  const queue = yield* Queue.bounded<PendingInsert>(capacity)

  /** Inserts rows and audit rows in the caller's transaction, of several statements. Call it last there. */
  const insertAll = Effect.fnUntraced(function*(inserts: ReadonlyArray<CommandInsert>) {
    // the same order of keys on every replica, so that two replicas cannot deadlock
    const batch = inserts.toSorted(byIdempotencyKey)
    for (const { command: { idempotency_key, issued_at, project_id } } of batch) {
      if (idempotency_key === null) continue
      yield* repo.releaseIdempotencyKey(
        project_id,
        idempotency_key,
        Timestamp.addSeconds(issued_at, -idempotencyRetentionSeconds)
      )
    }
    const rows = yield* repo.insert(batch.map(({ command }) => command))
    const inserted = new Set(rows.map(({ id }) => id))
    yield* audit.recordAll(entriesOf(batch.filter(({ command }) => inserted.has(command.id))))
    return rows
  })
  const commitWithKeys = (batch: ReadonlyArray<CommandInsert>) => sql.withTransaction(insertAll(batch))

  /** In one synchronous transaction, without the effects and spans of `withTransaction`. */
  const commitOnSqlite = (sqlite: SqliteAccess, batch: ReadonlyArray<CommandInsert>) =>
    Effect.gen(function*() {
      const at = yield* Timestamp.now
      const written = yield* dieOnRefusal(sqlite.write((db) => ({
        rows: repo.insertOnSqlite(db, batch.map(({ command }) => command)),
        auditRows: audit.recordOnSqlite(db, entriesOf(batch), at)
      })))
      yield* audit.onCommitted(written.auditRows)
      return written.rows
    })

  /** In one statement, which PostgreSQL commits by itself: 1 round trip instead of 5. */
  const commitOnPostgres = Effect.fnUntraced(function*(batch: ReadonlyArray<CommandInsert>) {
    const built = yield* audit.buildAppend(entriesOf(batch))
    const rows = built === null ? [] : yield* repo.insertWith(built.append, batch.map(({ command }) => command))
    if (built === null || rows.length === 0) return yield* commitWithKeys(batch) // another replica wrote last
    yield* audit.onCommitted(built.rows)
    return rows
  })

  /** Inserts rows and audit rows, all or none; returns the rows by id. */
  const commit = (batch: ReadonlyArray<CommandInsert>) => {
    const hasKeys = batch.some(({ command }) => command.idempotency_key !== null)
    const rows = hasKeys
      ? commitWithKeys(batch)
      : database.sqlite === null
      ? commitOnPostgres(batch)
      : commitOnSqlite(database.sqlite, batch)
    return Effect.map(rows, (inserted) => new Map(inserted.map((row) => [row.id, row])))
  }

  const write = Effect.fnUntraced(function*(batch: ReadonlyArray<PendingInsert>) {
    const exit = yield* Effect.exit(commit(batch))
    for (const { command, done } of batch) {
      yield* Deferred.done(done, Exit.map(exit, (inserted) => Option.fromNullable(inserted.get(command.id))))
    }
  })

  const writeNextBatch = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const first = yield* restore(queue.take)
      yield* yieldToEventLoop // batches the commands of the same turn
      yield* write([first, ...(yield* queue.takeUpTo(batchSize - 1))])
    })
  )

  yield* loops.forever("commands writer", writeNextBatch)

  /** Returns the row once it is committed, or none when another command has the idempotency key. */
  const insert = (issued: CommandInsert) =>
    Effect.flatMap(
      Deferred.make<Option.Option<CommandRow>, SqlError.SqlError>(),
      (done) => Effect.zipRight(queue.offer({ ...issued, done }), Deferred.await(done))
    )

  return { insert, insertAll } as const
})
