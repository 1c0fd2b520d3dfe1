/** The outcome of a task whose end was never reported (docs/attempts.md, "Ends that never come"). */
import { Schema } from "effect"
import type { TaskKey } from "../../kernel/TaskKey.ts"
import { toStorable } from "../../kernel/Text.ts"
import { formatSecond, Timestamp, toEpochMillis } from "../../kernel/Timestamp.ts"
import { exceptionText } from "../TaskHistory/Exception.ts"

/** An agent's result of `reconcile_task` (agents' protocol, section 5.2). */
export const ReconcileResult = Schema.Struct({
  engine_state: Schema.Literal("pending", "started", "success", "failure", "unknown"),
  finished_at: Schema.NullOr(Schema.String),
  exception: Schema.NullOr(Schema.String)
})
export type ReconcileResult = typeof ReconcileResult.Type

/** The result with its time parsed. */
export interface ReconciledState extends Omit<ReconcileResult, "finished_at"> {
  readonly finished_at: Timestamp | null
}

/** How far clocks may differ (agents' protocol, section 3.3). */
const clocksDifferMillis = 60_000

/** Whether the end is of an attempt before the one that began or waits since then: a shorter time is of another clock. */
export const isOfEarlierAttempt = (finishedAt: Timestamp | null, since: Timestamp): boolean =>
  finishedAt !== null && toEpochMillis(finishedAt) < toEpochMillis(since) - clocksDifferMillis

/** The known activity of the worker that started a task. */
export interface WorkerActivity {
  readonly name: string | null
  /** The ids of its running tasks, from a recent heartbeat; null where no heartbeat lists them. */
  readonly activeTaskIds: ReadonlySet<string> | null
  /** Since when it has been silent; null while it is online. */
  readonly silentSince: Timestamp | null
}

/** A history stores no nulls. */
const nullIfAbsent = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })

/** The data of a `task.reconciled` event. */
export const Outcome = Schema.Struct({
  outcome: Schema.Literal("success", "failure", "unknown"),
  engine_state: Schema.String,
  finished_at: nullIfAbsent(Timestamp),
  exception: nullIfAbsent(Schema.String),
  /** Of a task that waited when the engine was asked: the time of the event that reported the wait. */
  waiting_since: nullIfAbsent(Timestamp)
})
export type Outcome = typeof Outcome.Type

/** What is known of the processes that may have a task that waits, or that waited when it was last heard of. */
export interface WaitingEvidence {
  /** Whether a heartbeat lists the task as running. */
  readonly isListed: boolean
  /** The online workers, where each lists its tasks in a recent report and holds none for a later time; else null. */
  readonly workers: { readonly online: number; readonly free: number } | null
  /** Whether each process of the engine started after the last event of the task. */
  readonly isHolderGone: boolean
  /** Waiting messages of its queue, as last counted; null: never counted. */
  readonly queueDepth: number | null
  readonly lastEventAt: Timestamp
  /** Whether that is so long ago that the brain gives up. */
  readonly isForgotten: boolean
}

/** Engines whose adapter finds every task that exists, so that its `pending` and `unknown` are certain. */
const enginesThatKnow: ReadonlySet<string> = new Set(["bullmq", "effect-queue"])

/** Whether a heartbeat lists the task among the running tasks of its worker. */
export const isActiveOn = (taskId: string, { activeTaskIds }: WorkerActivity): boolean =>
  activeTaskIds !== null && activeTaskIds.has(taskId)

/** Whether the worker lists its running tasks, and the task is not among them. */
export const hasLeft = (taskId: string, { activeTaskIds }: WorkerActivity): boolean =>
  activeTaskIds !== null && !activeTaskIds.has(taskId)

/**
 * The outcome of a task, null while it may still run. An end that the engine knows counts. Without one the task may
 * run while its worker lists it, or is online and lists nothing. Celery's `started` only means that the worker once
 * wrote it. An engine that knows its tasks says it of those that a process holds: another one of the same name may.
 */
export const inferOutcome = (
  state: ReconciledState,
  { engine, task_id }: TaskKey,
  worker: WorkerActivity
): Outcome | null => {
  const { engine_state } = state
  const end = endOf(state)
  if (end !== null) return end
  if (isActiveOn(task_id, worker)) return null
  const workerName = worker.name === null ? "the process that ran it" : `worker ${worker.name}`
  const isHeld = engine_state === "started" && enginesThatKnow.has(engine)
  const evidence = worker.activeTaskIds !== null && !isHeld
    ? `${workerName} no longer runs it`
    : worker.silentSince !== null
    ? `${workerName} has been silent since ${worker.silentSince}`
    : null
  return evidence === null ? null : unknownOutcome(evidence, engine_state)
}

/**
 * The outcome of a task that was to wait, null while it may still do so. An end that the engine knows counts. Without
 * one it is unknown where no message and no process can be left that has the task: a published adapter returns `pending`
 * or `unknown` for a task that it does not know, as for one that waits.
 */
export const inferWaitingOutcome = (
  state: ReconciledState,
  engine: string,
  evidence: WaitingEvidence
): Outcome | null => {
  const end = endOf(state)
  if (end !== null) return end
  const { engine_state } = state
  if (evidence.isListed) return null
  if (enginesThatKnow.has(engine)) {
    return engine_state === "unknown" ? unknownOutcome(`${engine} has no such task`, engine_state) : null
  }
  const reason = reasonOf(engine_state, evidence)
  return reason === null ? null : unknownOutcome(reason, engine_state)
}

const reasonOf = (
  engineState: string,
  { isForgotten, isHolderGone, lastEventAt, queueDepth, workers }: WaitingEvidence
): string | null => {
  // a worker with a free process would have started what it received
  if (workers !== null && (workers.free > 0 || engineState === "started")) {
    return `of ${workers.online} online workers none runs it and ${workers.free} ${
      workers.free === 1 ? "is" : "are"
    } free`
  }
  if (isHolderGone && queueDepth === 0) return "its queue is empty, and every process of the engine is younger than it"
  return isForgotten ? `nothing was heard of it since ${formatSecond(lastEventAt)}` : null
}

const endOf = ({ engine_state, exception, finished_at }: ReconciledState): Outcome | null =>
  engine_state !== "success" && engine_state !== "failure" ? null : {
    outcome: engine_state,
    engine_state,
    finished_at,
    exception: engine_state === "failure" ? shortenException(exception) : null,
    waiting_since: null
  }

/** Characters of an exception: the history of a task keeps no longer value. */
const maxExceptionLength = 500

/** Celery's agent returns the whole traceback. Its last line is the exception. */
const shortenException = (exception: string | null): string | null => {
  const text = exceptionText("", { exception, message: null, reason: null, traceback: null })
  return text === null ? null : toStorable(text, maxExceptionLength)
}

const unknownOutcome = (evidence: string, engine_state: string): Outcome => ({
  outcome: "unknown",
  engine_state,
  finished_at: null,
  exception: `Outcome unknown: ${evidence}, and no end was reported. The engine says "${engine_state}".`,
  waiting_since: null
})
