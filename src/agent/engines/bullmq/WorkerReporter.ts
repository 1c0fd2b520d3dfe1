/** Reports what one worker does with its jobs, as events of the agents' protocol (section 4.2). */
import type { Job, Worker } from "bullmq"
import type { EngineContext } from "./EngineContext.ts"
import type { FlowRoots } from "./FlowRoots.ts"
import { argumentsOf, asJson } from "./JobData.ts"
import {
  baseData,
  errorData,
  etaAfter,
  parentOf,
  priorityOf,
  REQUEUED,
  STALLED,
  taskIdOfJob,
  WAITS_FOR_CHILDREN
} from "./JobEvents.ts"
import type { RequeueTarget } from "./ProcessorWatch.ts"
import { replaceMethod } from "./ReplaceMethod.ts"
import { taskIdOf } from "./TaskId.ts"

/** Runs work that a listener cannot wait for. Failures are dropped: Redis or the job is gone. */
export type RunInBackground = (work: () => Promise<void>) => void

/** A worker renews the lock of its jobs for this long, unless its options say otherwise. */
const defaultLockMillis = 30_000

export class WorkerReporter {
  private readonly queue: string

  constructor(
    private readonly worker: Worker,
    private readonly name: string,
    private readonly context: EngineContext,
    private readonly roots: FlowRoots,
    private readonly defer: RunInBackground
  ) {
    this.queue = worker.name
  }

  // Events that every job has are written out in full: spreading one object into another costs a microsecond.

  reportStarted(job: Job): void {
    const { context, name: worker, roots } = this
    const queue = this.queue
    const taskId = taskIdOf(queue, job.id ?? "")
    if (job.attemptsStarted <= 1) {
      const eta = etaAfter(job.timestamp, job.opts.delay)
      const data = { task_name: job.name, queue, eta }
      context.report({ kind: "task.received", taskId, occurredAt: job.timestamp, data })
    }
    const root_task_id = roots.cachedRoot(job)
    // for the job's later events
    if (job.parentKey !== undefined && root_task_id === undefined) this.findRoot(job, () => undefined)
    const { args, kwargs } = argumentsOf(job.data)
    const data = {
      task_name: job.name,
      queue,
      worker,
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

  reportSucceeded(job: Job, result: unknown): void {
    this.reportEnd(job, (root_task_id) => {
      const at = job.finishedOn ?? this.context.now()
      const data = {
        task_name: job.name,
        queue: this.queue,
        worker: this.name,
        root_task_id,
        result: asJson(result ?? null),
        runtime_ms: runtimeUntil(at, job)
      }
      this.context.report({ kind: "task.succeeded", taskId: taskIdOf(this.queue, job.id ?? ""), occurredAt: at, data })
    })
  }

  /** Revoked when it was cancelled, failed when BullMQ has ended the job, else retried. */
  reportFailed(job: Job, error: unknown, at: number, isCancelled: boolean): void {
    this.reportEnd(job, (root_task_id) => {
      const data = {
        ...baseData(job, this.name),
        ...errorData(error),
        root_task_id,
        runtime_ms: runtimeUntil(at, job),
        attempt: job.attemptsMade
      }
      const task = { taskId: taskIdOfJob(job), occurredAt: at }
      if (isCancelled) {
        return this.context.report({ ...task, kind: "task.revoked", data: { ...data, terminated: true } })
      }
      if (job.finishedOn !== undefined) return this.context.report({ ...task, kind: "task.failed", data })
      const eta = etaAfter(at, job.delay)
      this.context.report({ ...task, kind: "task.retried", data: eta === undefined ? data : { ...data, eta } })
    })
  }

  reportRequeue(job: Job, to: RequeueTarget): void {
    this.context.output.end(taskIdOfJob(job))
    const at = this.context.now()
    const taskId = taskIdOfJob(job)
    const data = { ...baseData(job, this.name), root_task_id: this.roots.cachedRoot(job) }
    if (to === "its children") {
      const note = WAITS_FOR_CHILDREN
      return this.context.report({ kind: "unknown", taskId, occurredAt: at, data: { ...data, note } })
    }
    const eta = to === "later" ? etaAfter(at, job.delay) : undefined
    this.context.report({ kind: "task.retried", taskId, occurredAt: at, data: { ...data, reason: REQUEUED, eta } })
  }

  reportStalled(jobId: string): void {
    // Between the end of its lock and the start of its next attempt, which may have begun a moment ago.
    const at = this.context.now() - Math.min(1000, (this.worker.opts.lockDuration ?? defaultLockMillis) / 2)
    this.defer(async () => {
      const job = await this.context.queues.get(this.queue)?.getJob(jobId)
      const data = { ...(job === undefined ? { queue: this.queue } : baseData(job, null)), reason: STALLED }
      this.context.report({ kind: "task.retried", taskId: taskIdOf(this.queue, jobId), occurredAt: at, data })
    })
  }

  /** Reports the lines that the job's processor writes, also one in a process of its own. */
  watchLog(job: Job): void {
    const { context } = this
    if (!context.sendsLogs) return
    const taskId = taskIdOfJob(job)
    const { attemptsStarted } = job
    const log = job.log.bind(job)
    replaceMethod(job, "log", (message) => {
      context.output.log(taskId, { at: context.now(), level: "info", message: String(message) }, attemptsStarted)
      return log(message)
    })
  }

  reportProgress(job: Job, value: unknown): void {
    this.context.output.progress(taskIdOfJob(job), asJson(value), this.context.now())
  }

  reportState(kind: "worker.online" | "worker.offline"): void {
    this.context.report({ kind, taskId: "", occurredAt: this.context.now(), data: { worker: this.name } })
  }

  /** Reports at once where the root of the job's flow is known, else after one question to Redis. */
  private reportEnd(job: Job, report: (root: string | undefined) => void): void {
    this.context.output.end(taskIdOfJob(job))
    const root = this.roots.cachedRoot(job)
    if (job.parentKey === undefined || root !== undefined) report(root)
    else this.findRoot(job, report)
  }

  private findRoot(job: Job, use: (root: string | undefined) => void): void {
    const queue = this.context.queues.get(this.queue)
    if (queue === undefined) return use(undefined)
    this.defer(() => this.roots.find(queue, job).then(use, () => use(undefined)))
  }
}

const runtimeUntil = (at: number, { processedOn }: Job): number | undefined =>
  processedOn === undefined ? undefined : Math.max(at - processedOn, 0)
