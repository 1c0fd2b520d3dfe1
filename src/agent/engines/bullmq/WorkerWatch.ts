/** Watches one worker of the app. It asks Redis only about flows, stalled jobs and ends that Redis did not confirm. */
import type { Job, Worker } from "bullmq"
import { hostname } from "node:os"
import type { WorkerInventory } from "../../runtime/Engine.ts"
import { CancelledJobs, isCancellation, makeCancellationError, type RunEnd } from "./Cancellation.ts"
import type { EngineContext } from "./EngineContext.ts"
import type { FlowRoots } from "./FlowRoots.ts"
import { hasRequeuedJob, requeueTargetOf, watchProcessor } from "./ProcessorWatch.ts"
import { taskIdOf } from "./TaskId.ts"
import { type RunInBackground, WorkerReporter } from "./WorkerReporter.ts"

const maxTaskNames = 1000

/** When a processor ended, the attempts made before this one, and what the processor threw, if anything. */
interface ProcessorEnd {
  readonly at: number
  readonly attemptsMade: number
  readonly error: unknown
}

export class WorkerWatch {
  private readonly queue: string
  private readonly reporter: WorkerReporter
  private readonly cancelled: CancelledJobs
  private readonly runningIds = new Set<string>()
  private readonly taskNames = new Set<string>()
  /** Jobs whose processor has ended, until BullMQ says that Redis has stored it. */
  private readonly unconfirmedEnds = new Map<Job, ProcessorEnd>()
  private readonly unwatchProcessor: () => void

  /** Begins to watch. `name` is unique among all workers of an agent: `<name or queue>-<pid>@<host>`. */
  constructor(
    readonly worker: Worker,
    readonly name: string,
    private readonly context: EngineContext,
    roots: FlowRoots,
    private readonly defer: RunInBackground
  ) {
    this.queue = worker.name
    this.reporter = new WorkerReporter(worker, name, context, roots, defer)
    this.cancelled = new CancelledJobs(() => context.queues.get(worker.name))
    worker.on("active", this.onActive).on("completed", this.onCompleted).on("failed", this.onFailed)
    worker.on("stalled", this.onStalled).on("progress", this.onProgress).on("closed", this.onClosed)
    this.reporter.reportState("worker.online")
    this.unwatchProcessor = watchProcessor(worker, this.runningIds, {
      onStarting: (job) => this.reporter.watchLog(job),
      onReturned: ({ id = "" }) => this.cancelled.has(id) ? this.cancelled.clearDeferredFailure(id) : undefined,
      mapThrown: ({ id = "" }, error) =>
        this.cancelled.has(id) && !hasRequeuedJob(error) ? makeCancellationError(error) : error,
      onEnded: (job, error) => this.onProcessorEnded(job, error),
      onReleased: (job) => this.onReleased(job)
    })
  }

  close(): void {
    const { worker } = this
    worker.off("active", this.onActive).off("completed", this.onCompleted).off("failed", this.onFailed)
    worker.off("stalled", this.onStalled).off("progress", this.onProgress).off("closed", this.onClosed)
    this.unwatchProcessor()
  }

  inventory(): WorkerInventory {
    const { name, worker } = this
    return {
      name,
      hostname: hostname(),
      pid: process.pid,
      concurrency: worker.concurrency,
      queues: worker.isPaused() || worker.closing !== undefined ? [] : [this.queue],
      activeTasks: this.runningIds.size,
      activeTaskIds: [...this.runningIds].map((jobId) => taskIdOf(this.queue, jobId)),
      registered: [...this.taskNames]
    }
  }

  isRunning(jobId: string): boolean {
    return this.runningIds.has(jobId)
  }

  /** Aborts a job that runs here, and returns how its run ended; null when its processor takes no signal. */
  cancel(jobId: string): Promise<RunEnd | null> {
    return this.cancelled.cancel(jobId, (reason) => this.worker.cancelJob(jobId, reason))
  }

  private readonly onActive = (job: Job) => {
    if (isCancellation(job.deferredFailure)) return // BullMQ fails it at once
    if (this.taskNames.size < maxTaskNames) this.taskNames.add(job.name)
    this.reporter.reportStarted(job)
  }

  private readonly onCompleted = (job: Job, result: unknown) => {
    this.unconfirmedEnds.delete(job)
    this.cancelled.ended(job.id ?? "", "completed")
    this.reporter.reportSucceeded(job, result)
  }

  private readonly onFailed = (job: Job | undefined, error: unknown) => {
    if (job === undefined) return // stalled too often and removed at once: BullMQ does not name the job
    this.unconfirmedEnds.delete(job)
    this.onAttemptFailed(job, error, job.finishedOn ?? this.context.now())
  }

  private onAttemptFailed(job: Job, error: unknown, at: number): void {
    const isCancelled = isCancellation(error instanceof Error ? error.message : undefined)
    if (isCancelled) this.cancelled.ended(job.id ?? "", "failed")
    this.reporter.reportFailed(job, error, at, isCancelled)
  }

  private readonly onStalled = (jobId: string) => this.reporter.reportStalled(jobId)
  private readonly onProgress = (job: Job, value: unknown) => this.reporter.reportProgress(job, value)
  private readonly onClosed = () => this.reporter.reportState("worker.offline")

  private onProcessorEnded(job: Job, error: unknown): void {
    const target = requeueTargetOf(error)
    if (target === undefined) {
      this.unconfirmedEnds.set(job, { at: this.context.now(), attemptsMade: job.attemptsMade, error })
      return
    }
    // A cancelled job fails at its next start, so that start comes now.
    if (target === "later" && this.cancelled.has(job.id ?? "")) this.defer(() => job.promote())
    this.reporter.reportRequeue(job, target)
  }

  private onReleased(job: Job): void {
    this.cancelled.release(job.id ?? "")
    const end = this.unconfirmedEnds.get(job)
    if (end === undefined) return
    this.unconfirmedEnds.delete(job)
    this.reportStoredEnd(job, end)
  }

  /**
   * Redis may store a job's end and fail before it replies. BullMQ then repeats the call and learns that the job does
   * not run, so it emits no event. What Redis has stored is reported; of a removed job there is nothing left.
   */
  private reportStoredEnd(job: Job, { at, attemptsMade, error }: ProcessorEnd): void {
    this.defer(async () => {
      const stored = await this.context.queues.get(this.queue)?.getJob(job.id ?? "")
      const isSameAttempt = stored?.attemptsStarted === job.attemptsStarted && stored.attemptsMade > attemptsMade
      if (stored === undefined || !isSameAttempt) return // the job stalls, and the worker that finds it reports it
      if (error === undefined) this.onCompleted(stored, stored.returnvalue)
      else this.onAttemptFailed(stored, error, stored.finishedOn ?? at)
    })
  }
}
