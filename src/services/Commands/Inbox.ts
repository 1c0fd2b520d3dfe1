import { SqlClient } from "@effect/sql"
import { Context, Deferred, Effect, Layer, Queue } from "effect"
import { system } from "../../domain/Actor.ts"
import * as Redaction from "../../domain/Redaction.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit } from "../Audit.ts"
import { turn } from "../EventLoop.ts"
import * as Ids from "../Ids.ts"
import { Loops } from "../Loops.ts"
import { Metrics } from "../Metrics.ts"
import { Settings } from "../Settings.ts"
import { type Answer, changesOf, type Ending, isEnding } from "./Answers.ts"
import { observeEnd } from "./Ended.ts"
import { CommandQueue } from "./Queue.ts"
import { TaskRetries } from "./Retries.ts"

/** Which command an agent speaks of, and who speaks. */
interface Report {
  readonly agentId: string
  readonly sessionId: string
  /** As in `AgentSession`. */
  readonly workerId: string
  readonly commandId: string
}

/** A `command_ack` frame: the agent has the command (the agents' protocol, section 2.6). */
export type Acked = Report

/** A `command_result` frame. `result` is JSON text as it came, all digits kept. */
export interface Finished extends Report {
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
  readonly acked: (report: Acked) => Effect.Effect<void>
  /** The same. */
  readonly finished: (report: Finished) => Effect.Effect<void>
  /** Returns once everything taken before is committed: for long-poll, where a 200 makes the agent forget. */
  readonly settled: Effect.Effect<void>
}>() {}

/** Answers that wait for the writer before sessions are paused. */
const capacity = 4096

/** Answers written in one transaction. */
const batchSize = 500

/** Somebody waits until all that came before is committed. */
interface Mark {
  readonly kind: "mark"
  readonly reached: Deferred.Deferred<void>
}

/**
 * The inbox with the loop that writes it. Needs nothing of the agents' line. What was taken is written before the
 * scope closes.
 */
export const layer = Layer.scoped(CommandInbox, Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const queue = yield* CommandQueue
  const retries = yield* TaskRetries
  const audit = yield* Audit
  const metrics = yield* Metrics
  const loops = yield* Loops
  const redaction = Redaction.make((yield* Settings).redactExtraKeys)
  const inbox = yield* Queue.bounded<Answer | Mark>(capacity)
  /** Taken from the queue and not committed yet; kept when the database fails. */
  let held: ReadonlyArray<Answer | Mark> = []

  const late = ({ change, row }: Ending) => ({
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
    const { changed, strays } = changesOf(answers, rows, redaction)
    if (strays > 0) metrics.swallowedExceptions.inc({ module: "commands", site: "stray_answer" }, strays)
    if (changed.length > 0) yield* queue.change(changed.map(({ change }) => change))
    const endings = changed.filter(isEnding)
    yield* retries.insert(endings)
    yield* audit.recordAll(endings.filter(({ row }) => row.status === "timeout").map(late))
    return endings
  }, sql.withTransaction)

  const writeHeld = Effect.gen(function*() {
    const answers = held.flatMap((entry) => (entry.kind === "mark" ? [] : [entry]))
    if (answers.length > 0) {
      for (const { change, row } of yield* write(answers)) {
        observeEnd(metrics, { ...row, status: change.status }, change.completed_at)
      }
    }
    for (const entry of held) if (entry.kind === "mark") yield* Deferred.succeed(entry.reached, undefined)
    held = []
  })

  const tick = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      if (held.length === 0) {
        held = [yield* restore(inbox.take)]
        yield* turn // an acknowledgement and its result, and those of other sessions, go together
        held = [...held, ...(yield* inbox.takeUpTo(batchSize - 1))]
      }
      yield* writeHeld
    })
  )

  const drain = Effect.gen(function*() {
    for (;;) {
      if (held.length === 0) held = [...(yield* inbox.takeUpTo(batchSize))]
      if (held.length === 0) return
      yield* writeHeld
    }
  })

  yield* Effect.addFinalizer(() =>
    Effect.catchAllCause(drain, (cause) => Effect.logError("agents' last answers to commands were not written", cause)))
  yield* loops.forever("commands answers", tick)

  const take = (entry: (at: Timestamp.Timestamp) => Answer) =>
    Effect.flatMap(Timestamp.now, (at) => Effect.asVoid(inbox.offer(entry(at))))

  return {
    acked: (report) => take((at) => ({ kind: "acked", report, at })),
    finished: (report) => take((at) => ({ kind: "finished", report, at })),
    settled: Effect.flatMap(Deferred.make<void>(), (reached) =>
      Effect.zipRight(inbox.offer({ kind: "mark", reached }), Deferred.await(reached)))
  }
}))
