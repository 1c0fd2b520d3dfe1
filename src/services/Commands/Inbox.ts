import { SqlClient } from "@effect/sql"
import { Context, Deferred, Effect, Layer, Queue } from "effect"
import { system } from "../../domain/Actor.ts"
import * as Redaction from "../../domain/Redaction.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit } from "../Audit.ts"
import { yieldToEventLoop } from "../EventLoop.ts"
import * as Ids from "../Ids.ts"
import { Loops } from "../Loops.ts"
import { Metrics } from "../Metrics.ts"
import { Settings } from "../Settings.ts"
import { type Answer, matchAnswers, type EndingChange, isEndingChange } from "./Answers.ts"
import { observeCommandEnd } from "./EndMetrics.ts"
import { CommandQueueRepo } from "./QueueRepo.ts"
import { TaskRetries } from "./Retries.ts"

/** Which command an agent speaks of, and who speaks. */
interface CommandReport {
  readonly agentId: string
  readonly sessionId: string
  /** As in `AgentSession`. */
  readonly workerId: string
  readonly commandId: string
}

/** A `command_ack` frame: the agent has the command (the agents' protocol, section 2.6). */
export type AckReport = CommandReport

/** A `command_result` frame. `result` is JSON text as it came, all digits kept. */
export interface ResultReport extends CommandReport {
  readonly status: "success" | "failed"
  readonly result: string | null
  readonly error: string | null
}

/**
 * What agents answer to commands, on its way into the database. The answers of all sessions are written in batches.
 * A report that fits no command (a stranger's, never sent, finished already) is dropped and counted.
 */
export class CommandInbox extends Context.Tag("svc/CommandInbox")<CommandInbox, {
  /** Takes the report; suspends while the inbox is full, so that the session is read no further. */
  readonly offerAck: (report: AckReport) => Effect.Effect<void>
  /** The same. */
  readonly offerResult: (report: ResultReport) => Effect.Effect<void>
  /** Returns once everything taken before is committed: for long-poll, where a 200 makes the agent forget. */
  readonly awaitCommitted: Effect.Effect<void>
}>() {}

/** Answers that wait for the writer before sessions are paused. */
const capacity = 4096

/** Answers written in one transaction. */
const batchSize = 500

/** Somebody waits until all that came before is committed. */
interface Barrier {
  readonly kind: "mark"
  readonly reached: Deferred.Deferred<void>
}

/**
 * The inbox with the loop that writes it. Needs nothing of the agents' line. What was taken is written before the
 * scope closes.
 */
export const layer = Layer.scoped(CommandInbox, Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const queue = yield* CommandQueueRepo
  const retries = yield* TaskRetries
  const audit = yield* Audit
  const metrics = yield* Metrics
  const loops = yield* Loops
  const redaction = Redaction.make((yield* Settings).redactExtraKeys)
  const inbox = yield* Queue.bounded<Answer | Barrier>(capacity)
  /** Taken from the queue and not committed yet; kept when the database fails. */
  let batch: ReadonlyArray<Answer | Barrier> = []

  const lateAnswerEntry = ({ change, row }: EndingChange) => ({
    actor: system("agents"),
    entry: {
      action: "command.answered_late",
      target_type: "command",
      target_id: row.id,
      project_id: row.project_id,
      metadata: { action: row.action, status: change.status }
    }
  })

  /** Commits what the answers change; answers the commands that they end. */
  const write = Effect.fnUntraced(function*(answers: ReadonlyArray<Answer>) {
    const ids = [...new Set(answers.map(({ report }) => report.commandId).filter(Ids.isUuid))]
    const rows = ids.length === 0 ? [] : yield* queue.lock(ids)
    const { changed, strays } = matchAnswers(answers, rows, redaction)
    if (strays > 0) metrics.swallowedExceptions.inc({ module: "commands", site: "stray_answer" }, strays)
    if (changed.length > 0) yield* queue.applyChanges(changed.map(({ change }) => change))
    const endings = changed.filter(isEndingChange)
    yield* retries.insert(endings)
    yield* audit.recordAll(endings.filter(({ row }) => row.status === "timeout").map(lateAnswerEntry))
    return endings
  }, sql.withTransaction)

  const writeBatch = Effect.gen(function*() {
    const answers = batch.flatMap((entry) => (entry.kind === "mark" ? [] : [entry]))
    if (answers.length > 0) {
      for (const { change, row } of yield* write(answers)) {
        observeCommandEnd(metrics, { ...row, status: change.status }, change.completed_at)
      }
    }
    for (const entry of batch) if (entry.kind === "mark") yield* Deferred.succeed(entry.reached, undefined)
    batch = []
  })

  const tick = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      if (batch.length === 0) {
        batch = [yield* restore(inbox.take)]
        yield* yieldToEventLoop // an acknowledgement and its result, and those of other sessions, go together
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
    Effect.catchAllCause(drain, (cause) => Effect.logError("agents' last answers to commands were not written", cause)))
  yield* loops.forever("commands answers", tick)

  const offerAnswer = (entry: (at: Timestamp.Timestamp) => Answer) =>
    Effect.flatMap(Timestamp.now, (at) => Effect.asVoid(inbox.offer(entry(at))))

  return {
    offerAck: (report) => offerAnswer((at) => ({ kind: "acked", report, at })),
    offerResult: (report) => offerAnswer((at) => ({ kind: "finished", report, at })),
    awaitCommitted: Effect.flatMap(Deferred.make<void>(), (reached) =>
      Effect.zipRight(inbox.offer({ kind: "mark", reached }), Deferred.await(reached)))
  }
}))
