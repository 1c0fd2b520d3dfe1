import type { Job, Queue } from "bullmq"
import type { EngineContext } from "./EngineContext.ts"
import { taskIdOf } from "./TaskId.ts"

/** Running jobs of a queue whose lines are read between their events. */
const maxPolledJobs = 100
/** Jobs whose number of read lines is known. */
const maxKnownJobs = 20_000

/**
 * The lines that jobs have written into Redis, for the agent from outside: it reads those of running jobs every two
 * seconds, and of each job when an attempt ends. BullMQ stores neither a time nor a level with a line.
 */
export class StoredLogs {
  /** Lines read, by job, the latest last: a retried job keeps those of its earlier attempts, also after it has failed. */
  readonly #readLines = new Map<string, number>()
  readonly #running = new Set<string>()

  readonly #queue: Queue
  readonly #context: EngineContext

  constructor(queue: Queue, context: EngineContext) {
    this.#queue = queue
    this.#context = context
  }

  /** An attempt begins. An agent that has not seen the first one takes the lines before this one as sent. */
  async start(jobId: string, job: Job | undefined): Promise<void> {
    if (!this.#context.sendsLogs) return
    this.#running.add(jobId)
    const known = this.#readLines.get(jobId)
    const isFirst = job === undefined || !hasRunBefore(job)
    this.#remember(jobId, known ?? (isFirst ? 0 : (await this.#queue.getJobLogs(jobId, 0, 0)).count))
  }

  /** An attempt has ended. */
  async end(jobId: string): Promise<void> {
    if (this.#running.delete(jobId)) await this.#read(jobId)
  }

  async readRunning(): Promise<void> {
    await Promise.all([...this.#running].slice(0, maxPolledJobs).map((jobId) => this.#read(jobId)))
  }

  /** A new job: none of its lines has been sent, also where its first attempt is over already. */
  add(jobId: string): void {
    this.#remember(jobId, 0)
  }

  /** The job will not run again. One that failed can still be retried. */
  forget(jobId: string): void {
    this.#running.delete(jobId)
    this.#readLines.delete(jobId)
  }

  #remember(jobId: string, count: number): void {
    this.#readLines.delete(jobId)
    this.#readLines.set(jobId, count)
    if (this.#readLines.size <= maxKnownJobs) return
    for (const [oldest] of this.#readLines) return void this.#readLines.delete(oldest)
  }

  async #read(jobId: string): Promise<void> {
    const from = this.#readLines.get(jobId) ?? 0
    const { logs } = await this.#queue.getJobLogs(jobId, from, -1)
    // two reads at once have the same lines
    if (this.#readLines.get(jobId) !== from) return
    this.#remember(jobId, from + logs.length)
    const at = this.#context.now()
    const taskId = taskIdOf(this.#queue.name, jobId)
    for (const message of logs) this.#context.output.log(taskId, { at, level: "info", message })
  }
}

/** Whether an earlier attempt may have written lines. A retry of a failed job counts its attempts anew. */
const hasRunBefore = ({ attemptsStarted, failedReason, stacktrace }: Job): boolean => {
  const failuresOfAttempt = failedReason === undefined || failedReason === "" ? 0 : 1
  return attemptsStarted > 1 || (stacktrace?.length ?? 0) > failuresOfAttempt
}
