import type { FlowProducer, Job, JobNode, Queue } from "bullmq"
import { base, etaAfter, origin, taskIdOfJob } from "./JobEvents.ts"
import { replaced } from "./Replaced.ts"
import type { Site } from "./Site.ts"

interface Watch {
  readonly close: () => void
}

/** Tells of each job that this very object adds. Of `add` BullMQ has an event; `addBulk` is listened to itself. */
export const watchQueue = (queue: Queue, site: Site): Watch => {
  const added = (job: Job) => tellAdded(site, job, undefined)
  const addBulk = queue.addBulk.bind(queue)
  const restore = replaced(queue, "addBulk", async (jobs) => {
    const made = await addBulk(jobs)
    for (const job of made) added(job)
    return made
  })
  queue.on("waiting", added)
  return {
    close: () => {
      queue.off("waiting", added)
      restore()
    }
  }
}

/** Tells of each job of the flows that this very object adds. BullMQ has no event for them. */
export const watchFlows = (flows: FlowProducer, site: Site): Watch => {
  const add = flows.add.bind(flows)
  const addBulk = flows.addBulk.bind(flows)
  const restore = replaced(flows, "add", async (flow, options) => {
    const made = await add(flow, options)
    tellTree(site, made)
    return made
  })
  const restoreBulk = replaced(flows, "addBulk", async (all) => {
    const made = await addBulk(all)
    for (const tree of made) tellTree(site, tree)
    return made
  })
  return {
    close: () => {
      restore()
      restoreBulk()
    }
  }
}

/** Where the top has a parent of its own, whose root that is would have to be asked: it is told when the jobs start. */
const tellTree = (site: Site, { children, job }: JobNode, root?: string): void => {
  tellAdded(site, job, root)
  const below = root ?? (job.parentKey === undefined ? taskIdOfJob(job) : undefined)
  for (const child of children ?? []) tellTree(site, child, below)
}

const tellAdded = (site: Site, job: Job, root: string | undefined): void => {
  const eta = etaAfter(job.timestamp, job.opts.delay)
  const data = { ...base(job, null), ...origin(job), root_task_id: root, eta }
  site.report({ kind: "task.received", taskId: taskIdOfJob(job), occurredAt: job.timestamp, data })
}
