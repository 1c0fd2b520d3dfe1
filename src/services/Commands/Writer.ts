import { SqlClient, type SqlError } from "@effect/sql"
import { Deferred, Effect, Exit, Option, Order, Queue } from "effect"
import type { Actor } from "../../domain/Actor.ts"
import { keptSeconds } from "../../domain/Idempotency.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit, type Entry } from "../Audit.ts"
import { turn } from "../EventLoop.ts"
import { Loops } from "../Loops.ts"
import { type CommandRow, CommandsRepo, type NewCommand } from "./Repo.ts"

/** Commands of one transaction. */
const batchSize = 100

/** Callers that wait before more of them wait to wait. */
const capacity = 1000

/** A new command with its audit row. */
export interface Issued {
  readonly command: NewCommand
  readonly actor: Actor
  readonly entry: Entry
}

const byKey = Order.mapInput(Order.string, ({ command }: Issued) => command.idempotency_key ?? "")

interface Waiting extends Issued {
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
    const waiting = yield* Queue.bounded<Waiting>(capacity)

    /** Rows and audit rows, all or none; answers the rows by id. */
    const commit = Effect.fnUntraced(function*(issued: ReadonlyArray<Issued>) {
      // the same order of keys on every replica, so that two of them cannot wait for each other
      const batch = issued.toSorted(byKey)
      for (const { command: { idempotency_key, issued_at, project_id } } of batch) {
        if (idempotency_key === null) continue
        yield* repo.forgetKey(project_id, idempotency_key, Timestamp.addSeconds(issued_at, -keptSeconds))
      }
      const rows = yield* repo.insert(batch.map(({ command }) => command))
      const inserted = new Map(rows.map((row) => [row.id, row]))
      yield* audit.recordAll(batch.filter(({ command }) => inserted.has(command.id)))
      return inserted
    }, sql.withTransaction)

    const write = Effect.fnUntraced(function*(batch: ReadonlyArray<Waiting>) {
      const exit = yield* Effect.exit(commit(batch))
      for (const { command, done } of batch) {
        yield* Deferred.done(done, Exit.map(exit, (inserted) => Option.fromNullable(inserted.get(command.id))))
      }
    })

    const work = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const first = yield* restore(waiting.take)
        yield* turn // those that are on their way come along
        yield* write([first, ...(yield* waiting.takeUpTo(batchSize - 1))])
      })
    )

    yield* loops.forever("commands writer", work)

    /** Returns once it is committed: the row, or none when there is a command of the same idempotency key. */
    const insert = (issued: Issued) =>
      Effect.flatMap(Deferred.make<Option.Option<CommandRow>, SqlError.SqlError>(), (done) =>
        Effect.zipRight(waiting.offer({ ...issued, done }), Deferred.await(done)))

    return { insert } as const
  })
}) {
  static readonly layer = this.Default
}
