import { Effect } from "effect"
import type { Engine, EngineState, Reconciled } from "../../runtime/Engine.ts"
import { read } from "./Broker.ts"
import { jobOf } from "./Queues.ts"
import type { Site } from "./Site.ts"
import { parseTaskId } from "./TaskId.ts"

export const reconcile = (site: Site): Engine["reconcile"] =>
  Effect.fnUntraced(function*(taskId: string) {
    const ref = parseTaskId(taskId)
    if (ref === undefined || !site.queues.has(ref.queue)) return unknown
    const { job, jobId, queue } = yield* jobOf(site.queues, taskId)
    if (job === null) return unknown
    const state = yield* read(() => queue.getJobState(jobId))
    return {
      engine_state: STATES[state] ?? "pending",
      finished_at: job.finishedOn ?? null,
      exception: state === "failed" ? job.failedReason : null
    }
  })

const unknown: Reconciled = { engine_state: "unknown", finished_at: null, exception: null }

/** All others are kinds of waiting. */
const STATES: Readonly<Record<string, EngineState>> = {
  active: "started",
  completed: "success",
  failed: "failure",
  unknown: "unknown"
}
