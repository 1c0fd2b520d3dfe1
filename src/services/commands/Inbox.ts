import { SqlClient, type SqlError } from "@effect/sql"
import { Context, Deferred, Effect, Layer, Queue } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import * as Redaction from "../../domain/kernel/Redaction.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import * as Ids from "../kernel/Ids.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { errorCode, isContention } from "../kernel/sql/Database.ts"
import { writeOrRefuse } from "../kernel/sql/RefusedRows.ts"
import { observeCommandEnd } from "./EndMetrics.ts"
import { LateResults } from "./LateResults.ts"
import type { AckReport, CommandReport, FinishTransition, ResultReport } from "./Model.ts"
import { CommandQueueRepo } from "./QueueRepo.ts"
import { matchReports } from "./Reports.ts"
import { TaskRetries } from "./Retries.ts"
import { CommandStatusRepo } from "./StatusRepo.ts"

/**
 * The queue of the agents' reports on commands. The reports of all sessions are written in batches. A report that fits
 * no command (another agent's, one never sent, one already finished) is dropped and counted.
 */
export class CommandInbox extends Context.Tag("svc/CommandInbox")<CommandInbox, {
  /** Queues the report. Suspends while the inbox is full, so that the gateway stops reading the session. */
  readonly offerAck: (report: AckReport) => Effect.Effect<void>
  /** Queues the result. Suspends while the inbox is full, so that the gateway stops reading the session. */
  readonly offerResult: (report: ResultReport) => Effect.Effect<void>
  /** Returns once all earlier reports are committed: after the 200 of a long-poll the agent deletes its copy. */
  readonly awaitCommitted: Effect.Effect<void>
}>() {}

/**
 * Queue capacity in reports, and in characters of those that are not committed: a result may have 1 MiB. Sessions are
 * paused while the queue is full. Escaped, the characters of a batch stay below the longest string of V8.
 */
const capacity = 4096
const maxCharacters = 16 * 1024 * 1024

/** Reports per transaction. */
const batchSize = 500

/** About what a report takes without its texts. */
const reportCharacters = 256

/** The characters of a report. One alone always fits. */
const sizeOf = (entry: CommandReport): number => {
  const texts = entry.kind === "finished" ? [entry.report.result, entry.report.error] : []
  const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0), reportCharacters)
  return Math.min(characters, maxCharacters)
}

/** Completes `reached` once all entries before it are committed. */
interface Barrier {
  readonly kind: "mark"
  readonly reached: Deferred.Deferred<void>
}

/** The inbox with the loop that writes it. Writes all queued reports before its scope closes. */
export const layer = Layer.scoped(
  CommandInbox,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const queue = yield* CommandQueueRepo
    const statuses = yield* CommandStatusRepo
    const retries = yield* TaskRetries
    const lateResults = yield* LateResults
    const audit = yield* Audit
    const metrics = yield* Metrics
    const loops = yield* Loops
    const redaction = Redaction.make((yield* Settings).redactExtraKeys)
    const inbox = yield* Queue.bounded<CommandReport | Barrier>(capacity)
    const characters = yield* Effect.makeSemaphore(maxCharacters)
    /** Entries taken from the queue and not yet committed; they survive a failure of the database. */
    let batch: ReadonlyArray<CommandReport | Barrier> = []

    const lateResultEntry = ({ end, row }: FinishTransition) => ({
      actor: system("agents"),
      entry: auditEntry("command.answered_late", "command", row.id, {
        project_id: row.project_id,
        metadata: { action: row.action, status: end.status }
      })
    })

    /** Commits the effect of the reports; returns the commands that they end. */
    const write = Effect.fnUntraced(function*(reports: ReadonlyArray<CommandReport>) {
      const ids = [...new Set(reports.map(({ report }) => report.commandId).filter(Ids.isUuid))]
      const rows = ids.length === 0 ? [] : yield* queue.lock(ids)
      const { acks, endings, strays } = matchReports(reports, rows, redaction)
      if (strays > 0) metrics.swallowedExceptions.inc({ module: "commands", site: "stray_answer" }, strays)
      if (acks.length > 0) yield* queue.acknowledge(acks)
      yield* statuses.finish(endings.map(({ end }) => end))
      yield* retries.insert(endings)
      const late = endings.filter(({ row }) => row.status === "timeout")
      yield* lateResults.apply(late.map(({ row }) => row))
      yield* audit.recordAll(late.map(lateResultEntry))
      return endings
    }, sql.withTransaction)

    /** The command of a report that cannot be stored times out, and says that its outcome is unknown. */
    const refuse = ({ report }: CommandReport, error: SqlError.SqlError) =>
      Effect.suspend(() => {
        metrics.swallowedExceptions.inc({ module: "commands", site: "refused_answer" })
        return Effect.logWarning("An answer to a command is not stored: the database refuses its values.").pipe(
          Effect.annotateLogs({ command_id: report.commandId, agent_id: report.agentId, error: errorCode(error) })
        )
      })

    const writeReports = Effect.fnUntraced(function*(reports: ReadonlyArray<CommandReport>) {
      const endings = yield* Effect.retry(write(reports), { while: isContention, times: 10 })
      for (const { end, row } of endings) {
        observeCommandEnd(metrics, { ...row, status: end.status }, end.completed_at)
      }
    })

    const writeBatch = Effect.gen(function*() {
      const reports = batch.flatMap((entry) => (entry.kind === "mark" ? [] : [entry]))
      if (reports.length > 0) yield* writeOrRefuse(reports, { write: writeReports, refuse })
      for (const { kind, report } of reports) if (kind === "finished") report.onCommit()
      for (const entry of batch) if (entry.kind === "mark") yield* Deferred.succeed(entry.reached, undefined)
      batch = []
      yield* characters.release(reports.reduce((sum, entry) => sum + sizeOf(entry), 0))
    })

    const tick = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        if (batch.length === 0) {
          batch = [yield* restore(inbox.take)]
          yield* yieldToEventLoop // batches an acknowledgement with its result, and with the reports of other sessions
          batch = [...batch, ...(yield* inbox.takeUpTo(batchSize - 1))]
        }
        yield* writeBatch
      })
    )

    const drain = Effect.gen(function*() {
      for (;;) {
        if (batch.length === 0) batch = [...(yield* inbox.takeUpTo(batchSize))]
        if (batch.length === 0) return
        yield* writeBatch
      }
    })

    yield* Effect.addFinalizer(() =>
      Effect.catchAllCause(drain, (cause) =>
        Effect.logError(
          "The last answers of agents to commands were not written. Their commands time out, unless the agents send the answers again.",
          cause
        ))
    )
    yield* loops.forever("commands answers", tick)

    const offerReport = (reportAt: (at: Timestamp.Timestamp) => CommandReport) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          const entry = reportAt(yield* Timestamp.now)
          yield* restore(characters.take(sizeOf(entry)))
          yield* Effect.onInterrupt(restore(inbox.offer(entry)), () => characters.release(sizeOf(entry)))
        })
      )

    return {
      offerAck: (report) => offerReport((at) => ({ kind: "acked", report, at })),
      offerResult: (report) => offerReport((at) => ({ kind: "finished", report, at })),
      awaitCommitted: Effect.flatMap(
        Deferred.make<void>(),
        (reached) => Effect.zipRight(inbox.offer({ kind: "mark", reached }), Deferred.await(reached))
      )
    }
  })
).pipe(Layer.provide([CommandQueueRepo.layer, CommandStatusRepo.layer, TaskRetries.layer]))
