import type { Job } from "bullmq"
import { base, taskIdOfJob } from "./JobEvents.ts"
import { asIs } from "./Data.ts"
import type { Site } from "./Site.ts"

const everyMillis = 5000
const mostReports = 100

/**
 * A job's progress, as lines of its timeline. At most one in five seconds and a hundred an attempt: a timeline has room
 * for a thousand events.
 */
export class Progress {
  readonly #told = new Map<string, { at: number; count: number }>()

  readonly #site: Site
  readonly #worker: string | null

  constructor(site: Site, worker: string | null) {
    this.#site = site
    this.#worker = worker
  }

  tell(job: Job, progress: unknown, at: number): void {
    const jobId = job.id ?? ""
    const told = this.#told.get(jobId)
    if (told !== undefined && (at - told.at < everyMillis || told.count >= mostReports)) return
    this.#told.set(jobId, { at, count: (told?.count ?? 0) + 1 })
    const data = { ...base(job, this.#worker), progress: asIs(progress) }
    this.#site.report({ kind: "unknown", taskId: taskIdOfJob(job), occurredAt: at, data })
  }

  forget(jobId: string): void {
    this.#told.delete(jobId)
  }
}
