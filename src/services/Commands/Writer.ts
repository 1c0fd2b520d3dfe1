import { SqlClient, type SqlError } from "@effect/sql"
import { Deferred, Effect, Exit, Option, Order, Queue } from "effect"
import type { Actor } from "../../domain/Actor.ts"
import { idempotencyRetentionSeconds } from "../../domain/Idempotency.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit, type Entry } from "../Audit.ts"
import { yieldToEventLoop } from "../EventLoop.ts"
import { Loops } from "../Loops.ts"
import type { CommandRow, NewCommand } from "./Model.ts"
import { CommandsRepo } from "./Repo.ts"

/** Commands of one transaction. */
const batchSize = 100

/** Callers that wait before more of them wait to wait. */
const capacity = 1000

/** A new command with its audit row. */
export interface CommandInsert {
  readonly command: NewCommand
  readonly actor: Actor
  readonly entry: Entry
}

const byIdempotencyKey = Order.mapInput(Order.string, ({ command }: CommandInsert) => command.idempotency_key ?? "")

interface PendingInsert extends CommandInsert {
  /** None: there is a command of the same idempotency key. */
  readonly done: Deferred.Deferred<Option.Option<CommandRow>, SqlError.SqlError>
}

/**
 * Writes new commands, those that come at the same time in one transaction: the audit chain lets transactions through
 * one by one, and a commit waits for the disk.
 */
export class CommandWriter extends Effect.Service<CommandWriter>()("svc/CommandWriter", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* CommandsRepo
    const audit = yield* Audit
    const loops = yield* Loops
    const queue = yield* Queue.bounded<PendingInsert>(capacity)

    /** Rows and audit rows, all or none; answers the rows by id. */
    const commit = Effect.fnUntraced(function*(inserts: ReadonlyArray<CommandInsert>) {
      // the same order of keys on every replica, so that two of them cannot wait for each other
      const batch = inserts.toSorted(byIdempotencyKey)
      for (const { command: { idempotency_key, issued_at, project_id } } of batch) {
        if (idempotency_key === null) continue
        yield* repo.releaseIdempotencyKey(project_id, idempotency_key, Timestamp.addSeconds(issued_at, -idempotencyRetentionSeconds))
      }
      const rows = yield* repo.insert(batch.map(({ command }) => command))
      const inserted = new Map(rows.map((row) => [row.id, row]))
      yield* audit.recordAll(batch.filter(({ command }) => inserted.has(command.id)))
      return inserted
    }, sql.withTransaction)

    const write = Effect.fnUntraced(function*(batch: ReadonlyArray<PendingInsert>) {
      const exit = yield* Effect.exit(commit(batch))
      for (const { command, done } of batch) {
        yield* Deferred.done(done, Exit.map(exit, (inserted) => Option.fromNullable(inserted.get(command.id))))
      }
    })

    const writeNextBatch = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const first = yield* restore(queue.take)
        yield* yieldToEventLoop // those that are on their way come along
        yield* write([first, ...(yield* queue.takeUpTo(batchSize - 1))])
      })
    )

    yield* loops.forever("commands writer", writeNextBatch)

    /** Returns once it is committed: the row, or none when there is a command of the same idempotency key. */
    const insert = (issued: CommandInsert) =>
      Effect.flatMap(Deferred.make<Option.Option<CommandRow>, SqlError.SqlError>(), (done) =>
        Effect.zipRight(queue.offer({ ...issued, done }), Deferred.await(done)))

    return { insert } as const
  })
}) {
  static readonly layer = this.Default
}
