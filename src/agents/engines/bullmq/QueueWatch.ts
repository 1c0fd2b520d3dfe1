import type { Job, Queue } from "bullmq"
import { base, etaAfter, origin, taskIdOfJob } from "./JobEvents.ts"
import type { Site } from "./Site.ts"

/** Tells of each job that this very object adds (`add`; BullMQ says nothing of `addBulk` and of flows). */
export const watchQueue = (queue: Queue, site: Site): { readonly close: () => void } => {
  const added = (job: Job) => {
    const eta = etaAfter(job.timestamp, job.opts.delay)
    const data = { ...base(job, null), ...origin(job), eta }
    site.report({ kind: "task.received", taskId: taskIdOfJob(job), occurredAt: job.timestamp, data })
  }
  queue.on("waiting", added)
  return { close: () => queue.off("waiting", added) }
}
