import { SqlClient, type SqlError } from "@effect/sql"
import { Deferred, Effect, Exit, Layer, Option, Order, Queue } from "effect"
import type { Actor } from "../../domain/Actor.ts"
import { idempotencyRetentionSeconds } from "../../domain/Idempotency.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit, type AuditEntry } from "../Audit.ts"
import { yieldToEventLoop } from "../EventLoop.ts"
import { Loops } from "../Loops.ts"
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

interface PendingInsert extends CommandInsert {
  /** None: another command has the idempotency key. */
  readonly done: Deferred.Deferred<Option.Option<CommandRow>, SqlError.SqlError>
}

/**
 * Inserts new commands in batches, each a transaction. The audit chain serialises transactions, and a commit waits for
 * the disk, so that one transaction per command would be slower.
 */
export class CommandWriter extends Effect.Service<CommandWriter>()("svc/CommandWriter", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* CommandsRepo
    const audit = yield* Audit
    const loops = yield* Loops
    const queue = yield* Queue.bounded<PendingInsert>(capacity)

    /** Inserts rows and audit rows, all or none; returns the rows by id. */
    const commit = Effect.fnUntraced(function*(inserts: ReadonlyArray<CommandInsert>) {
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
      const inserted = new Map(rows.map((row) => [row.id, row]))
      yield* audit.recordAll(
        batch.flatMap(({ actor, command, entries }) =>
          inserted.has(command.id) ? entries.map((entry) => ({ actor, entry })) : []
        )
      )
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

    return { insert } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(CommandsRepo.layer))
}
