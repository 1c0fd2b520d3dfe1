import { type SqlClient, SqlError } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { Audit } from "../audit/Audit.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { Database, errorCode, type Hints, isContention, type Reader } from "../kernel/sql/Database.ts"
import { areRowsAtFault, writeOrRefuse } from "../kernel/sql/RefusedRows.ts"
import { RowCaps } from "../kernel/sql/RowCaps.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import { Backlog, type PendingEvent } from "./Ingest/Backlog.ts"
import { isFoldError } from "./Ingest/Fold.ts"
import type { EventBatch } from "./Ingest/Model.ts"
import { makeWriter } from "./Ingest/Writer.ts"
import { TaskChanges } from "./TaskChanges.ts"

/**
 * Turns verified event batches into committed rows (docs/ingest.md describes the design). `offer` is plain code, since
 * each frame of each agent passes it.
 */
export class Ingest extends Context.Tag("svc/Ingest")<Ingest, {
  /**
   * Queues a batch for the writer. False when the queue is full or the brain is shutting down: the batch was not
   * queued, and the gateway stops reading the socket until the listener of `onCapacity` is called.
   */
  readonly offer: (batch: EventBatch) => boolean
  /**
   * Calls `listener` each time the queue has capacity again after a refused `offer`; returns the unsubscribe function.
   */
  readonly onCapacity: (listener: () => void) => () => void
  /** Events that are queued and neither committed nor rejected. */
  readonly pendingEvents: () => number
}>() {
  static readonly layer: Layer.Layer<
    Ingest,
    never,
    Audit | Database | Hints | Loops | Metrics | Reader | Settings | SqlClient.SqlClient
  > = Layer.scoped(Ingest, Effect.suspend(() => make)).pipe( // `make` is defined below
    Layer.provide([RowCaps.layer, TaskChanges.layer, TriggerEvents.layer])
  )
}

/**
 * On SQLite a transaction blocks the event loop. A thousand usual events take about 20 ms. A good part of that is the
 * disk, which takes the same for one event, so smaller batches are not faster. Only unusually large events reduce them.
 */
const maxBatchOnSqlite = 1500
const minBatchOnSqlite = 200
const slowCommitCpuMillis = 50
const drainTimeout = "8 seconds"

/**
 * CPU time of this process so far. A slow disk and a busy machine make a commit last longer and leave this as it is: with
 * smaller batches they would cost the same for fewer events, and the brain would fall behind further.
 */
const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * On PostgreSQL two writers, each with its own tasks: one folds while the other waits for the database. SQLite has one
 * writing connection, and its statements block the event loop.
 */
const lanesOnPostgres = 2

const make = Effect.gen(function*() {
  const settings = yield* Settings
  const database = yield* Database
  const metrics = yield* Metrics
  const loops = yield* Loops
  const clock = yield* Effect.clock
  const audit = yield* Audit
  const writer = yield* makeWriter
  const isSqlite = database.sqlite !== null
  const maxBatch = isSqlite ? Math.min(settings.ingestBatchEvents, maxBatchOnSqlite) : settings.ingestBatchEvents
  const backlog = new Backlog(
    isSqlite ? 1 : lanesOnPostgres,
    settings.ingestQueueEvents,
    () => metrics.swallowedExceptions.inc({ module: "ingest", site: "listener" })
  )

  /** Stores nothing while the audit log is not the one that this brain wrote. Agents keep their events until then. */
  const checkAudit = Effect.filterOrFail(
    audit.suspendReason,
    (why) => why === null,
    (cause) => new SqlError.SqlError({ cause, message: cause?.message ?? "" })
  )

  const commit = (events: ReadonlyArray<PendingEvent>, partition: number) =>
    Effect.zipRight(checkAudit, writer.commit(events, partition)).pipe(
      Effect.catchAllDefect((cause) => new SqlError.SqlError({ cause, message: "the writer failed" })),
      Effect.retry({ while: isContention, times: 10 })
    )

  /** Commits the events. Those that cannot be stored are rejected. */
  const commitOrReject = (events: ReadonlyArray<PendingEvent>, partition: number) =>
    writeOrRefuse(events, {
      write: (part) => commit(part, partition),
      areAtFault: (error) => areRowsAtFault(error) || isFoldError(error),
      refuse: (event, error) =>
        Effect.sync(() => {
          event.refusal = isFoldError(error) ? "cannot be folded" : `refused by the database: ${errorCode(error)}`
        })
    })

  const acknowledge = (events: ReadonlyArray<PendingEvent>): Effect.Effect<void> => {
    const rejected = events.filter((pending) => pending.refusal !== null)
    metrics.ingestEvents.inc({ outcome: "accepted" }, events.length - rejected.length)
    backlog.complete(events)
    metrics.ingestQueue.set(backlog.size)
    if (rejected.length === 0) return Effect.void
    metrics.ingestEvents.inc({ outcome: "rejected" }, rejected.length)
    return Effect.forEach(
      new Map(rejected.map((pending) => [pending.refusal, pending])),
      ([reason, pending]) =>
        Effect.logWarning("Events were rejected: they are not stored, and their agent does not send them again.").pipe(
          Effect.annotateLogs({
            reason,
            project_id: pending.projectId,
            agent_id: pending.agentId,
            event_id: pending.id,
            kind: pending.kind,
            rejected: rejected.length
          })
        ),
      { discard: true }
    )
  }

  /** Commits the queued events of a partition. A batch that could not be written is kept for the next attempt. */
  const writePartition = (partition: number) => {
    const partitionQueue = backlog.partitions[partition]!
    let batchSize = maxBatch
    let batch: ReadonlyArray<PendingEvent> = []

    const adaptBatchSize = (spentMillis: number): void => {
      if (!isSqlite) return
      if (spentMillis > slowCommitCpuMillis) {
        batchSize = Math.max(Math.min(minBatchOnSqlite, maxBatch), Math.floor(batchSize * 0.7))
      } else if (batchSize < maxBatch) batchSize = Math.min(maxBatch, Math.ceil(batchSize * 1.2))
    }

    return Effect.gen(function*() {
      if (batch.length === 0) {
        yield* partitionQueue.ready
        batch = partitionQueue.take(batchSize)
        metrics.ingestQueue.set(backlog.size)
      }
      const startedAt = clock.unsafeCurrentTimeNanos()
      const cpuAtStart = cpuMillis()
      yield* commitOrReject(batch, partition)
      const seconds = Number(clock.unsafeCurrentTimeNanos() - startedAt) / 1e9
      const events = batch
      batch = []
      metrics.ingestCommit.observe(seconds)
      metrics.ingestBatch.observe(events.length)
      adaptBatchSize(cpuMillis() - cpuAtStart)
      yield* acknowledge(events)
    })
  }

  for (let partition = 0; partition < backlog.partitions.length; partition++) {
    yield* loops.forever(partition === 0 ? "ingest" : `ingest ${partition + 1}`, writePartition(partition), {
      longestPause: "2 seconds"
    })
  }
  yield* Effect.addFinalizer(() =>
    Effect.zipRight(
      Effect.sync(() => backlog.close()),
      backlog.awaitEmpty.pipe(Effect.interruptible, Effect.timeoutOption(drainTimeout))
    )
  )

  return {
    offer: (batch: EventBatch) => backlog.offer(batch),
    onCapacity: (listener: () => void) => backlog.onCapacity(listener),
    pendingEvents: () => backlog.size
  }
})
