import { type SqlClient, SqlError } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import type { AgentEvent } from "../domain/TaskEvent.ts"
import { Audit } from "./Audit.ts"
import { Database, errorCode, isContention, isDataError, isUnavailable } from "./Database.ts"
import { Backlog, type Pending } from "./Ingest/Backlog.ts"
import { isUnfoldable } from "./Ingest/Fold.ts"
import { makeWriter } from "./Ingest/Writer.ts"
import type { Keys } from "./Keys.ts"
import { Loops } from "./Loops.ts"
import { Metrics } from "./Metrics.ts"
import type { RowCaps } from "./RowCaps.ts"
import { Settings } from "./Settings.ts"
import type { TaskChanges } from "./TaskChanges.ts"

/** What became of a batch's events: both add up to the events offered. A repeated event is accepted. */
export interface Outcome {
  readonly accepted: number
  readonly rejected: number
}

/** The events of one verified frame. */
export interface EventBatch {
  readonly projectId: string
  readonly agentId: string
  /** Names the agent process that sent the frame, as far as the transport tells. */
  readonly reporter: string
  readonly events: ReadonlyArray<AgentEvent>
  /** Characters of the events' text, about: what waits is bounded by it too. */
  readonly size: number
  /**
   * Called once, after the transaction with the batch's last event was committed and never before. Never called when
   * the process ends first: the agent sends again. Plain code on the writer's path: it must be short and not throw.
   */
  readonly settle: (outcome: Outcome) => void
}

/**
 * From verified event batches to committed rows (design of the ingest: docs/ingest.md). The edge is plain code, since
 * each frame of each agent passes it.
 */
export class Ingest extends Context.Tag("svc/Ingest")<Ingest, {
  /**
   * Queues a batch for the writer. False when the queue is full or the brain is going down: the batch was not taken,
   * and whoever reads the socket pauses it until `onRoom` calls.
   */
  readonly offer: (batch: EventBatch) => boolean
  /** Calls `listener` each time there is room again after an `offer` was refused; answers how to stop that. */
  readonly onRoom: (listener: () => void) => () => void
  /** Events that were offered and are not settled. */
  readonly waiting: () => number
}>() {
  static readonly layer: Layer.Layer<
    Ingest,
    never,
    Audit | Database | Keys | Loops | Metrics | RowCaps | Settings | SqlClient.SqlClient | TaskChanges
  > = Layer.scoped(Ingest, Effect.suspend(() => make)) // `make` stands below
}

/**
 * On SQLite a transaction holds up the event loop. A thousand usual events take about 20 ms, a good part of it the same
 * for one event (the disk), so that smaller is not faster; only events of unusual size make it take fewer.
 */
const mostOnSqlite = 1500
const fewest = 200
const tooLongMillis = 50
const drainTime = "8 seconds"

/**
 * On PostgreSQL two writers, each with its own tasks: one folds while the other waits for the database. SQLite has one
 * connection that writes, and waiting for it is what the event loop does.
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
  const onSqlite = database.sqlite !== null
  const most = onSqlite ? Math.min(settings.ingestBatchEvents, mostOnSqlite) : settings.ingestBatchEvents
  const backlog = new Backlog(onSqlite ? 1 : lanesOnPostgres, settings.ingestQueueEvents, () =>
    metrics.swallowedExceptions.inc({ module: "ingest", site: "listener" }))

  /** Nothing is stored while the audit log is not the one that this brain wrote: agents keep their events meanwhile. */
  const isRefused = Effect.filterOrFail(audit.refusal, (why) => why === null, (cause) =>
    new SqlError.SqlError({ cause, message: cause?.message ?? "" }))

  const commit = (events: ReadonlyArray<Pending>, lane: number) =>
    Effect.zipRight(isRefused, writer.commit(events, lane)).pipe(
      Effect.catchAllDefect((cause) => new SqlError.SqlError({ cause, message: "the writer failed" })),
      Effect.retry({ while: isContention, times: 10 })
    )

  /** Commits the events; when the database refuses one of them, halves until that is found, and refuses it alone. */
  const store = (events: ReadonlyArray<Pending>, lane: number): Effect.Effect<void, SqlError.SqlError> =>
    Effect.catchAll(commit(events, lane), (error) => {
      const [first] = events
      const atFault = !isUnavailable(error) && (isDataError(error) || isUnfoldable(error))
      if (first === undefined || !atFault) return Effect.fail(error)
      if (events.length === 1) {
        first.refusal = isUnfoldable(error) ? "cannot be folded" : `refused by the database: ${errorCode(error)}`
        return Effect.void
      }
      const middle = events.length >> 1
      return Effect.zipRight(store(events.slice(0, middle), lane), store(events.slice(middle), lane))
    })

  const settle = (events: ReadonlyArray<Pending>): Effect.Effect<void> => {
    const refused = events.filter((pending) => pending.refusal !== null)
    metrics.ingestEvents.inc({ outcome: "accepted" }, events.length - refused.length)
    backlog.done(events)
    metrics.ingestQueue.set(backlog.size)
    if (refused.length === 0) return Effect.void
    metrics.ingestEvents.inc({ outcome: "rejected" }, refused.length)
    return Effect.forEach(new Map(refused.map((pending) => [pending.refusal, pending])), ([reason, pending]) =>
      Effect.logWarning("events were rejected").pipe(Effect.annotateLogs({
        reason,
        project_id: pending.projectId,
        agent_id: pending.agentId,
        event_id: pending.id,
        kind: pending.kind,
        rejected: refused.length
      })), { discard: true })
  }

  /** Takes what waits in a lane and sees it through. What could not be written yet is kept for the next turn. */
  const turnOf = (lane: number) => {
    const line = backlog.lanes[lane]!
    let size = most
    let held: ReadonlyArray<Pending> = []

    const adapt = (millis: number): void => {
      if (!onSqlite) return
      if (millis > tooLongMillis) size = Math.max(Math.min(fewest, most), Math.floor(size * 0.7))
      else if (size < most) size = Math.min(most, Math.ceil(size * 1.2))
    }

    return Effect.gen(function*() {
      if (held.length === 0) {
        yield* line.ready
        held = line.take(size)
        metrics.ingestQueue.set(backlog.size)
      }
      const begun = clock.unsafeCurrentTimeNanos()
      yield* store(held, lane)
      const seconds = Number(clock.unsafeCurrentTimeNanos() - begun) / 1e9
      const events = held
      held = []
      metrics.ingestCommit.observe(seconds)
      metrics.ingestBatch.observe(events.length)
      adapt(seconds * 1000)
      yield* settle(events)
    })
  }

  for (let lane = 0; lane < backlog.lanes.length; lane++) {
    yield* loops.forever(lane === 0 ? "ingest" : `ingest ${lane + 1}`, turnOf(lane), { longestPause: "2 seconds" })
  }
  yield* Effect.addFinalizer(() =>
    Effect.zipRight(
      Effect.sync(() => backlog.close()),
      backlog.drained.pipe(Effect.interruptible, Effect.timeoutOption(drainTime))
    ))

  return {
    offer: (batch: EventBatch) => backlog.offer(batch),
    onRoom: (listener: () => void) => backlog.onRoom(listener),
    waiting: () => backlog.size
  }
})
