/** The outcome of a task whose end was never reported (docs/attempts.md, "Ends that never come"). */
import { Schema } from "effect"
import { Timestamp } from "../Timestamp.ts"

/** An agent's answer to `reconcile_task` (agents' protocol, section 5.2). */
export const ReconcileResult = Schema.Struct({
  engine_state: Schema.Literal("pending", "started", "success", "failure", "unknown"),
  finished_at: Schema.NullOr(Schema.String),
  exception: Schema.NullOr(Schema.String)
})
export type ReconcileResult = typeof ReconcileResult.Type

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
  exception: nullIfAbsent(Schema.String)
})
export type Outcome = typeof Outcome.Type

/** Whether a heartbeat lists the task among the running tasks of its worker. */
export const isActiveOn = (taskId: string, { activeTaskIds }: WorkerActivity): boolean =>
  activeTaskIds !== null && activeTaskIds.has(taskId)

/**
 * The outcome of a task, null while it may still run. An end that the engine knows counts. Without one the task may
 * run while its worker lists it, or is online and lists nothing. An engine's `started` only means that the worker once
 * wrote it.
 */
export const inferOutcome = (
  { engine_state, exception, finished_at }: Omit<ReconcileResult, "finished_at"> & {
    readonly finished_at: Timestamp | null
  },
  taskId: string,
  worker: WorkerActivity
): Outcome | null => {
  if (engine_state === "success" || engine_state === "failure") {
    return {
      outcome: engine_state,
      engine_state,
      finished_at,
      exception: engine_state === "failure" ? exception : null
    }
  }
  if (isActiveOn(taskId, worker)) return null
  const workerName = worker.name === null ? "the process that ran it" : `worker ${worker.name}`
  const evidence = worker.activeTaskIds !== null
    ? `${workerName} no longer runs it`
    : worker.silentSince !== null
    ? `${workerName} has been silent since ${worker.silentSince}`
    : null
  if (evidence === null) return null
  const reason = `Outcome unknown: ${evidence}, and no end was reported. The engine says "${engine_state}".`
  return { outcome: "unknown", engine_state, finished_at: null, exception: reason }
}
