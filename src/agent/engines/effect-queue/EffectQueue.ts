/**
 * Queues of @effect/experimental's PersistedQueue that an agent reports and controls:
 *
 *     import * as EffectQueue from "svc/agent/effect-queue"
 *
 *     const mail = yield* EffectQueue.make({ name: "mail", schema: Mail })
 *     yield* Effect.forkScoped(mail.run((letter) => send(letter), { concurrency: 4 }))
 *     yield* mail.offer({ to: "customer", subject: "Your order" })
 *     yield* Layer.build(Agent.layer({ …, engines: [EffectQueue.engine([mail])] }))
 *
 * over `EffectQueue.layerMemory()` or `EffectQueue.layerSql()`.
 */
import { PersistedQueue } from "@effect/experimental"
import { type SqlClient, type SqlError, SqlPersistedQueue } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import type { JsonInput } from "../../../domain/kernel/CanonicalJson.ts"
import { CurrentTask } from "./Element.ts"
import * as MemoryRecords from "./MemoryRecords.ts"
import { EffectQueue, type QueueOptions } from "./Queue.ts"
import { QueueRecords } from "./Records.ts"
import * as SqlRecords from "./SqlRecords.ts"

export { engine } from "./Engine.ts"
export type { EffectQueue, QueueOptions, RunOptions, TaskInfo } from "./Queue.ts"
export { QueueRecords } from "./Records.ts"

/** A queue of this name. Create it once a process. */
export const make = <A, I>(
  options: QueueOptions<A, I>
): Effect.Effect<EffectQueue<A, I>, never, PersistedQueue.PersistedQueueFactory | QueueRecords> =>
  Effect.gen(function*() {
    const queue = yield* PersistedQueue.make({ name: options.name, schema: Schema.Unknown })
    return new EffectQueue(options, queue, yield* QueueRecords, yield* Effect.clock)
  })

/**
 * Says how far the task is whose handler this fiber runs: a percentage from 0 to 100, or an object such as
 * `{ done: 40, total: 100, message: "…" }`. Does nothing outside a handler.
 */
export const reportProgress = (progress: JsonInput): Effect.Effect<void> =>
  Effect.map(CurrentTask, (task) => task.reportProgress(progress))

export type SqlStoreOptions = Parameters<typeof SqlPersistedQueue.layerStore>[0]

/** The store in memory: waiting tasks end with the process. The last `remember` ended tasks (1000) can be retried. */
export const layerMemory = (
  options: { readonly remember?: number } = {}
): Layer.Layer<PersistedQueue.PersistedQueueFactory | QueueRecords> =>
  Layer.merge(
    PersistedQueue.layer.pipe(Layer.provide(PersistedQueue.layerStoreMemory)),
    MemoryRecords.layer(options.remember ?? 1000)
  )

/**
 * The store in SQL (SQLite, PostgreSQL), with the options of @effect/sql's SqlPersistedQueue. It keeps ended tasks in
 * its table, where retries find them; the application decides when to delete them.
 */
export const layerSql = (
  options?: SqlStoreOptions
): Layer.Layer<PersistedQueue.PersistedQueueFactory | QueueRecords, SqlError.SqlError, SqlClient.SqlClient> =>
  SqlRecords.layer(options?.tableName ?? "effect_queue").pipe(
    Layer.merge(PersistedQueue.layer),
    Layer.provide(SqlPersistedQueue.layerStore(options))
  )
