import type { FlowProducer, Job, JobNode, Queue } from "bullmq"
import type { EngineContext } from "./EngineContext.ts"
import { baseData, etaAfter, originData, taskIdOfJob } from "./JobEvents.ts"
import { replaceMethod } from "./ReplaceMethod.ts"

interface Watch {
  readonly close: () => void
}

/** Reports each job that this object adds. BullMQ has an event for `add`; `addBulk` is wrapped. */
export const watchQueue = (queue: Queue, context: EngineContext): Watch => {
  const reportJob = (job: Job) => reportAdded(context, job, undefined)
  const addBulk = queue.addBulk.bind(queue)
  const restore = replaceMethod(queue, "addBulk", async (jobs) => {
    const addedJobs = await addBulk(jobs)
    for (const job of addedJobs) reportJob(job)
    return addedJobs
  })
  queue.on("waiting", reportJob)
  return {
    close: () => {
      queue.off("waiting", reportJob)
      restore()
    }
  }
}

/** Reports each job of the flows that this object adds. BullMQ has no event for them. */
export const watchFlows = (flows: FlowProducer, context: EngineContext): Watch => {
  const add = flows.add.bind(flows)
  const addBulk = flows.addBulk.bind(flows)
  const restore = replaceMethod(flows, "add", async (flow, options) => {
    const flowTree = await add(flow, options)
    reportTree(context, flowTree)
    return flowTree
  })
  const restoreBulk = replaceMethod(flows, "addBulk", async (all) => {
    const trees = await addBulk(all)
    for (const tree of trees) reportTree(context, tree)
    return trees
  })
  return {
    close: () => {
      restore()
      restoreBulk()
    }
  }
}

/**
 * Where the top job has a parent itself, finding the root needs a read. The root is then reported when the jobs start.
 */
const reportTree = (context: EngineContext, { children, job }: JobNode, root?: string): void => {
  reportAdded(context, job, root)
  const childRoot = root ?? (job.parentKey === undefined ? taskIdOfJob(job) : undefined)
  for (const child of children ?? []) reportTree(context, child, childRoot)
}

const reportAdded = (context: EngineContext, job: Job, root: string | undefined): void => {
  const eta = etaAfter(job.timestamp, job.opts.delay)
  const data = { ...baseData(job, null), ...originData(job), root_task_id: root, eta }
  context.report({ kind: "task.received", taskId: taskIdOfJob(job), occurredAt: job.timestamp, data })
}
