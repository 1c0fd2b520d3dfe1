import { Effect } from "effect"
import type { Engine, EngineState, ReconcileOutcome } from "../../runtime/Engine.ts"
import { read } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"
import { findJob } from "./Queues.ts"
import { parseTaskId } from "./TaskId.ts"

export const reconcile = (context: EngineContext): Engine["reconcile"] =>
  Effect.fnUntraced(function*(taskId: string) {
    const ref = parseTaskId(taskId)
    if (ref === undefined || !context.queues.has(ref.queue)) return unknownTask
    const { job, jobId, queue } = yield* findJob(context.queues, taskId)
    if (job === null) return unknownTask
    const state = yield* read(() => queue.getJobState(jobId))
    return {
      engine_state: STATES[state] ?? "pending",
      finished_at: job.finishedOn ?? null,
      exception: state === "failed" ? job.failedReason : null
    }
  })

const unknownTask: ReconcileOutcome = { engine_state: "unknown", finished_at: null, exception: null }

/** All others are kinds of waiting. */
const STATES: Readonly<Record<string, EngineState>> = {
  active: "started",
  completed: "success",
  failed: "failure",
  unknown: "unknown"
}
