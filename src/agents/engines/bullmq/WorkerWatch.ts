/**
 * Listens to one worker of the app's. Nothing is asked of Redis for it but what a flow or a stalled job makes
 * necessary.
 */
import type { Job, Worker } from "bullmq"
import { hostname } from "node:os"
import type { WorkerInventory } from "../../runtime/Engine.ts"
import { cancellation, type CancelledRun, CancelledJobs, isCancellation } from "./Cancelling.ts"
import { argumentsOf, asIs } from "./Data.ts"
import { base, etaAfter, parentOf, priorityOf, raised, taskIdOfJob } from "./JobEvents.ts"
import { hasMovedJob, type PutBack, putBackBy, watchProcessor } from "./ProcessorWatch.ts"
import { Progress } from "./Progress.ts"
import type { Roots } from "./Roots.ts"
import type { Site } from "./Site.ts"
import { taskIdOf } from "./TaskId.ts"

/** Does work that a listener cannot wait for; what fails there was not to be had. */
export type Later = (work: () => Promise<void>) => void

export interface WorkerWatch {
  /** Unique among all workers of an agent: `<name or queue>-<pid>@<host>`. */
  readonly name: string
  readonly worker: Worker
  readonly inventory: () => WorkerInventory
  /** Whether the job runs here. */
  readonly runs: (jobId: string) => boolean
  /** Aborts a job that runs here, and tells how its run ended; null when its processor takes no signal. */
  readonly cancel: (jobId: string) => Promise<CancelledRun | null>
  readonly close: () => void
}

const mostNames = 1000

export const watchWorker = (worker: Worker, name: string, site: Site, roots: Roots, later: Later): WorkerWatch => {
  // Written out in full where each job passes: an object spread into another costs a microsecond.
  const queue = worker.name
  const running = new Set<string>()
  const cancelled = new CancelledJobs(() => site.queues.get(queue))
  const names = new Set<string>()
  /** Jobs whose processor has ended, until BullMQ says that Redis knows. */
  const unheard = new Map<Job, Unheard>()
  const progress = new Progress(site, name)

  const active = (job: Job) => {
    if (isCancellation(job.deferredFailure)) return // BullMQ fails it at once
    if (names.size < mostNames) names.add(job.name)
    const taskId = taskIdOf(queue, job.id ?? "")
    if (job.attemptsStarted <= 1) {
      const eta = etaAfter(job.timestamp, job.opts.delay)
      const data = { task_name: job.name, queue, eta }
      site.report({ kind: "task.received", taskId, occurredAt: job.timestamp, data })
    }
    const root_task_id = roots.known(job)
    if (job.parentKey !== undefined && root_task_id === undefined) findRoot(job, () => undefined)
    const { args, kwargs } = argumentsOf(job.data)
    const data = {
      task_name: job.name,
      queue,
      worker: name,
      args,
      kwargs,
      attempt: job.attemptsStarted,
      max_attempts: job.opts.attempts,
      priority: priorityOf(job),
      schedule: job.repeatJobKey,
      parent_task_id: parentOf(job),
      root_task_id
    }
    site.report({ kind: "task.started", taskId, occurredAt: job.processedOn ?? site.now(), data })
  }

  const completed = (job: Job, result: unknown) => {
    unheard.delete(job)
    cancelled.ended(job.id ?? "", "completed")
    ended(job, (root_task_id) => {
      const at = job.finishedOn ?? site.now()
      const data = {
        task_name: job.name,
        queue,
        worker: name,
        root_task_id,
        result: asIs(result ?? null),
        runtime_ms: runtimeOf(job, at)
      }
      site.report({ kind: "task.succeeded", taskId: taskIdOf(queue, job.id ?? ""), occurredAt: at, data })
    })
  }

  const failed = (job: Job | undefined, error: unknown) => {
    if (job === undefined) return // stalled too often and removed at once: BullMQ does not say which it was
    unheard.delete(job)
    failedAt(job, error, job.finishedOn ?? site.now())
  }

  const failedAt = (job: Job, error: unknown, at: number) => {
    const isCancelled = isCancellation(error instanceof Error ? error.message : undefined)
    if (isCancelled) cancelled.ended(job.id ?? "", "failed")
    ended(job, (root_task_id) => {
      const runtime_ms = runtimeOf(job, at)
      const data = { ...base(job, name), ...raised(error), root_task_id, runtime_ms, attempt: job.attemptsMade }
      const report = (
        kind: "task.failed" | "task.retried" | "task.revoked",
        more: { readonly eta?: string; readonly terminated?: boolean } = {}
      ) =>
        site.report({ kind, taskId: taskIdOfJob(job), occurredAt: at, data: { ...data, ...more } })
      if (isCancelled) return report("task.revoked", { terminated: true })
      if (job.finishedOn !== undefined) return report("task.failed")
      const eta = etaAfter(at, job.delay)
      report("task.retried", eta === undefined ? {} : { eta })
    })
  }

  const putBack = (job: Job, to: PutBack) => {
    const at = site.now()
    const data = { ...base(job, name), root_task_id: roots.known(job) }
    const taskId = taskIdOfJob(job)
    progress.forget(job.id ?? "")
    // cancelled: it fails at its next start, which is to be now
    if (to === "later" && cancelled.has(job.id ?? "")) later(() => job.promote())
    return to === "its children"
      ? site.report({ kind: "unknown", taskId, occurredAt: at, data: { ...data, note: WAITS_FOR_CHILDREN } })
      : site.report({
        kind: "task.retried",
        taskId,
        occurredAt: at,
        data: { ...data, reason: PUT_BACK, eta: to === "later" ? etaAfter(at, job.delay) : undefined }
      })
  }

  /**
   * Redis may have written down a job's end and gone away before it answered; BullMQ says it again then, and is told that
   * the job does not run. What was written is told. A job that is gone by then has left nothing to tell.
   */
  const askHowItEnded = (job: Job, { at, attemptsMade, error }: Unheard) =>
    later(async () => {
      const now = await site.queues.get(queue)?.getJob(job.id ?? "")
      const ours = now?.attemptsStarted === job.attemptsStarted && now.attemptsMade > attemptsMade
      if (now === undefined || !ours) return // it stalls, and whoever finds it tells
      if (error === undefined) completed(now, now.returnvalue)
      else failedAt(now, error, now.finishedOn ?? at)
    })

  const ended = (job: Job, tell: (root: string | undefined) => void) => {
    progress.forget(job.id ?? "")
    const root = roots.known(job)
    if (job.parentKey === undefined || root !== undefined) tell(root)
    else findRoot(job, tell)
  }

  const findRoot = (job: Job, tell: (root: string | undefined) => void) => {
    const asked = site.queues.get(queue)
    if (asked === undefined) return tell(undefined)
    later(() => roots.find(asked, job).then(tell, () => tell(undefined)))
  }

  const stalled = (jobId: string) => {
    // between the end of its lock and the start of its next attempt, which may be a moment old already
    const at = site.now() - Math.min(1000, (worker.opts.lockDuration ?? 30_000) / 2)
    const tell = (job: Job | undefined) =>
      site.report({
        kind: "task.retried",
        taskId: taskIdOf(queue, jobId),
        occurredAt: at,
        data: { ...(job === undefined ? { queue } : base(job, null)), reason: STALLED }
      })
    later(async () => tell(await site.queues.get(queue)?.getJob(jobId)))
  }

  const tellState = (kind: "worker.online" | "worker.offline") =>
    site.report({ kind, taskId: "", occurredAt: site.now(), data: { worker: name } })
  const closed = () => tellState("worker.offline")
  const onProgress = (job: Job, value: unknown) => progress.tell(job, value, site.now())

  worker.on("active", active).on("completed", completed).on("failed", failed).on("stalled", stalled)
  worker.on("progress", onProgress).on("closed", closed)
  tellState("worker.online")
  const unwatchProcessor = watchProcessor(worker, running, {
    returned: ({ id = "" }) => cancelled.has(id) ? cancelled.forgive(id) : undefined,
    thrown: ({ id = "" }, error) => cancelled.has(id) && !hasMovedJob(error) ? cancellation(error) : error,
    ended: (job, error) => {
      const to = putBackBy(error)
      if (to === undefined) unheard.set(job, { at: site.now(), attemptsMade: job.attemptsMade, error })
      else putBack(job, to)
    },
    settled: (job) => {
      cancelled.forget(job.id ?? "")
      const open = unheard.get(job)
      if (open !== undefined && unheard.delete(job)) askHowItEnded(job, open)
    }
  })

  return {
    name,
    worker,
    inventory: () => ({
      name,
      hostname: hostname(),
      pid: process.pid,
      concurrency: worker.concurrency,
      queues: worker.isPaused() || worker.closing !== undefined ? [] : [queue],
      activeTasks: running.size,
      registered: [...names]
    }),
    runs: (jobId) => running.has(jobId),
    cancel: (jobId) => cancelled.cancel(jobId, (reason) => worker.cancelJob(jobId, reason)),
    close: () => {
      worker.off("active", active).off("completed", completed).off("failed", failed).off("stalled", stalled)
      worker.off("progress", onProgress).off("closed", closed)
      unwatchProcessor()
    }
  }
}

/** When its processor ended, the attempts made before this one, and what the processor threw, if it did. */
interface Unheard {
  readonly at: number
  readonly attemptsMade: number
  readonly error: unknown
}

export const PUT_BACK = "put back by its processor"
export const WAITS_FOR_CHILDREN = "waits for its children"
export const STALLED = "stalled: its worker stopped renewing the lock"

const runtimeOf = (job: Job, at: number): number | undefined =>
  job.processedOn === undefined ? undefined : Math.max(at - job.processedOn, 0)
