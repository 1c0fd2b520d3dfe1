import type { Job } from "bullmq"
import type { EngineContext } from "./EngineContext.ts"
import { asJson } from "./JobData.ts"
import { baseData, taskIdOfJob } from "./JobEvents.ts"

const minIntervalMillis = 5000
const maxReports = 100

/**
 * A job's progress, as lines of its timeline. At most one in five seconds and a hundred an attempt: a timeline has room
 * for a thousand events.
 */
export class ProgressReporter {
  readonly #reported = new Map<string, { at: number; count: number }>()

  readonly #context: EngineContext
  readonly #worker: string | null

  constructor(context: EngineContext, worker: string | null) {
    this.#context = context
    this.#worker = worker
  }

  report(job: Job, progress: unknown, at: number): void {
    const jobId = job.id ?? ""
    const last = this.#reported.get(jobId)
    if (last !== undefined && (at - last.at < minIntervalMillis || last.count >= maxReports)) return
    this.#reported.set(jobId, { at, count: (last?.count ?? 0) + 1 })
    const data = { ...baseData(job, this.#worker), progress: asJson(progress) }
    this.#context.report({ kind: "unknown", taskId: taskIdOfJob(job), occurredAt: at, data })
  }

  clear(jobId: string): void {
    this.#reported.delete(jobId)
  }
}
