/**
 * Listens to one worker of the app's. Nothing is asked of Redis for it but what a flow or a stalled job makes
 * necessary.
 */
import type { Job, Worker } from "bullmq"
import { hostname } from "node:os"
import type { WorkerInventory } from "../../runtime/Engine.ts"
import { makeCancellationError, type RunEnd, CancelledJobs, isCancellation } from "./Cancellation.ts"
import { argumentsOf, asJson } from "./JobData.ts"
import { baseData, etaAfter, parentOf, priorityOf, errorData, taskIdOfJob } from "./JobEvents.ts"
import { hasMovedJob, type PutBackTarget, putBackTargetOf, watchProcessor } from "./ProcessorWatch.ts"
import { ProgressReporter } from "./ProgressReporter.ts"
import type { FlowRoots } from "./FlowRoots.ts"
import type { EngineContext } from "./EngineContext.ts"
import { taskIdOf } from "./TaskId.ts"

/** Does work that a listener cannot wait for; what fails there was not to be had. */
export type Defer = (work: () => Promise<void>) => void

export interface WorkerWatch {
  /** Unique among all workers of an agent: `<name or queue>-<pid>@<host>`. */
  readonly name: string
  readonly worker: Worker
  readonly inventory: () => WorkerInventory
  /** Whether the job runs here. */
  readonly isRunning: (jobId: string) => boolean
  /** Aborts a job that runs here, and tells how its run ended; null when its processor takes no signal. */
  readonly cancel: (jobId: string) => Promise<RunEnd | null>
  readonly close: () => void
}

const maxNames = 1000

export const watchWorker = (worker: Worker, name: string, context: EngineContext, roots: FlowRoots, defer: Defer): WorkerWatch => {
  // Written out in full where each job passes: an object spread into another costs a microsecond.
  const queue = worker.name
  const runningIds = new Set<string>()
  const cancelled = new CancelledJobs(() => context.queues.get(queue))
  const taskNames = new Set<string>()
  /** Jobs whose processor has ended, until BullMQ says that Redis knows. */
  const unconfirmedEnds = new Map<Job, ProcessorEnd>()
  const progress = new ProgressReporter(context, name)

  const onActive = (job: Job) => {
    if (isCancellation(job.deferredFailure)) return // BullMQ fails it at once
    if (taskNames.size < maxNames) taskNames.add(job.name)
    const taskId = taskIdOf(queue, job.id ?? "")
    if (job.attemptsStarted <= 1) {
      const eta = etaAfter(job.timestamp, job.opts.delay)
      const data = { task_name: job.name, queue, eta }
      context.report({ kind: "task.received", taskId, occurredAt: job.timestamp, data })
    }
    const root_task_id = roots.cachedRoot(job)
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
    context.report({ kind: "task.started", taskId, occurredAt: job.processedOn ?? context.now(), data })
  }

  const onCompleted = (job: Job, result: unknown) => {
    unconfirmedEnds.delete(job)
    cancelled.ended(job.id ?? "", "completed")
    reportWithRoot(job, (root_task_id) => {
      const at = job.finishedOn ?? context.now()
      const data = {
        task_name: job.name,
        queue,
        worker: name,
        root_task_id,
        result: asJson(result ?? null),
        runtime_ms: runtimeOf(job, at)
      }
      context.report({ kind: "task.succeeded", taskId: taskIdOf(queue, job.id ?? ""), occurredAt: at, data })
    })
  }

  const onFailed = (job: Job | undefined, error: unknown) => {
    if (job === undefined) return // stalled too often and removed at once: BullMQ does not say which it was
    unconfirmedEnds.delete(job)
    reportFailure(job, error, job.finishedOn ?? context.now())
  }

  const reportFailure = (job: Job, error: unknown, at: number) => {
    const isCancelled = isCancellation(error instanceof Error ? error.message : undefined)
    if (isCancelled) cancelled.ended(job.id ?? "", "failed")
    reportWithRoot(job, (root_task_id) => {
      const runtime_ms = runtimeOf(job, at)
      const data = { ...baseData(job, name), ...errorData(error), root_task_id, runtime_ms, attempt: job.attemptsMade }
      const report = (
        kind: "task.failed" | "task.retried" | "task.revoked",
        more: { readonly eta?: string; readonly terminated?: boolean } = {}
      ) =>
        context.report({ kind, taskId: taskIdOfJob(job), occurredAt: at, data: { ...data, ...more } })
      if (isCancelled) return report("task.revoked", { terminated: true })
      if (job.finishedOn !== undefined) return report("task.failed")
      const eta = etaAfter(at, job.delay)
      report("task.retried", eta === undefined ? {} : { eta })
    })
  }

  const reportPutBack = (job: Job, to: PutBackTarget) => {
    const at = context.now()
    const data = { ...baseData(job, name), root_task_id: roots.cachedRoot(job) }
    const taskId = taskIdOfJob(job)
    progress.clear(job.id ?? "")
    // cancelled: it fails at its next start, which is to be now
    if (to === "later" && cancelled.has(job.id ?? "")) defer(() => job.promote())
    return to === "its children"
      ? context.report({ kind: "unknown", taskId, occurredAt: at, data: { ...data, note: WAITS_FOR_CHILDREN } })
      : context.report({
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
  const reportStoredEnd = (job: Job, { at, attemptsMade, error }: ProcessorEnd) =>
    defer(async () => {
      const stored = await context.queues.get(queue)?.getJob(job.id ?? "")
      const isSameAttempt = stored?.attemptsStarted === job.attemptsStarted && stored.attemptsMade > attemptsMade
      if (stored === undefined || !isSameAttempt) return // it stalls, and whoever finds it tells
      if (error === undefined) onCompleted(stored, stored.returnvalue)
      else reportFailure(stored, error, stored.finishedOn ?? at)
    })

  const reportWithRoot = (job: Job, tell: (root: string | undefined) => void) => {
    progress.clear(job.id ?? "")
    const root = roots.cachedRoot(job)
    if (job.parentKey === undefined || root !== undefined) tell(root)
    else findRoot(job, tell)
  }

  const findRoot = (job: Job, tell: (root: string | undefined) => void) => {
    const rootQueue = context.queues.get(queue)
    if (rootQueue === undefined) return tell(undefined)
    defer(() => roots.find(rootQueue, job).then(tell, () => tell(undefined)))
  }

  const onStalled = (jobId: string) => {
    // between the end of its lock and the start of its next attempt, which may be a moment old already
    const at = context.now() - Math.min(1000, (worker.opts.lockDuration ?? 30_000) / 2)
    const tell = (job: Job | undefined) =>
      context.report({
        kind: "task.retried",
        taskId: taskIdOf(queue, jobId),
        occurredAt: at,
        data: { ...(job === undefined ? { queue } : baseData(job, null)), reason: STALLED }
      })
    defer(async () => tell(await context.queues.get(queue)?.getJob(jobId)))
  }

  const reportState = (kind: "worker.online" | "worker.offline") =>
    context.report({ kind, taskId: "", occurredAt: context.now(), data: { worker: name } })
  const onClosed = () => reportState("worker.offline")
  const onProgress = (job: Job, value: unknown) => progress.report(job, value, context.now())

  worker.on("active", onActive).on("completed", onCompleted).on("failed", onFailed).on("stalled", onStalled)
  worker.on("progress", onProgress).on("closed", onClosed)
  reportState("worker.online")
  const unwatchProcessor = watchProcessor(worker, runningIds, {
    onReturned: ({ id = "" }) => cancelled.has(id) ? cancelled.clearDeferredFailure(id) : undefined,
    mapThrown: ({ id = "" }, error) => cancelled.has(id) && !hasMovedJob(error) ? makeCancellationError(error) : error,
    onEnded: (job, error) => {
      const to = putBackTargetOf(error)
      if (to === undefined) unconfirmedEnds.set(job, { at: context.now(), attemptsMade: job.attemptsMade, error })
      else reportPutBack(job, to)
    },
    onReleased: (job) => {
      cancelled.release(job.id ?? "")
      const open = unconfirmedEnds.get(job)
      if (open !== undefined && unconfirmedEnds.delete(job)) reportStoredEnd(job, open)
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
      activeTasks: runningIds.size,
      registered: [...taskNames]
    }),
    isRunning: (jobId) => runningIds.has(jobId),
    cancel: (jobId) => cancelled.cancel(jobId, (reason) => worker.cancelJob(jobId, reason)),
    close: () => {
      worker.off("active", onActive).off("completed", onCompleted).off("failed", onFailed).off("stalled", onStalled)
      worker.off("progress", onProgress).off("closed", onClosed)
      unwatchProcessor()
    }
  }
}

/** When its processor ended, the attempts made before this one, and what the processor threw, if it did. */
interface ProcessorEnd {
  readonly at: number
  readonly attemptsMade: number
  readonly error: unknown
}

export const PUT_BACK = "put back by its processor"
export const WAITS_FOR_CHILDREN = "waits for its children"
export const STALLED = "stalled: its worker stopped renewing the lock"

const runtimeOf = (job: Job, at: number): number | undefined =>
  job.processedOn === undefined ? undefined : Math.max(at - job.processedOn, 0)
