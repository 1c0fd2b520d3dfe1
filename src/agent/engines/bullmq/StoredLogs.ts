import type { Queue } from "bullmq"
import type { EngineContext } from "./EngineContext.ts"
import { inChunks } from "./InChunks.ts"
import { hasEnded, hasFailedUnread, hasRunBefore, type JobHistory, outcomeOf, withoutAdded } from "./JobHistory.ts"
import { taskIdOf } from "./TaskId.ts"

/** Running jobs of a queue whose lines are read between their events. */
const maxPolledJobs = 100
/** Jobs whose number of read lines is known. */
const maxKnownJobs = 20_000
/** After so many lines of jobs that had failed before the agent met them, a scan reads no more of them. */
const maxMissedLines = 1000
const readsAtOnce = 50

/**
 * The lines that jobs have written into Redis, for the agent from outside: it reads those of running jobs every two
 * seconds, and of each job when an attempt ends. BullMQ stores neither a time nor a level with a line.
 */
export class StoredLogs {
  /** Lines read, by job, the latest last: a retried job keeps those of its earlier attempts, also after it has failed. */
  readonly #readLines = new Map<string, number>()
  readonly #running = new Set<string>()
  #missedLines = 0
  readonly #queue: Queue
  readonly #context: EngineContext

  constructor(queue: Queue, context: EngineContext) {
    this.#queue = queue
    this.#context = context
  }

  /** All reads come first: where one fails, nothing has changed, and the batch can be followed again. */
  async follow(histories: ReadonlyArray<JobHistory>): Promise<void> {
    if (!this.#context.sendsLogs) return
    for (const report of await inChunks(histories, readsAtOnce, (history) => this.#readOf(history))) report()
  }

  beginScan(): void {
    this.#missedLines = 0
  }

  /**
   * Jobs that a scan has read. Of those that had ended when the agent met them, the lines of the failed ones are
   * reported, as fast as the output takes them. A job that is known already is not new, as where a scan is repeated.
   */
  async followMissed(histories: ReadonlyArray<JobHistory>): Promise<void> {
    if (!this.#context.sendsLogs) return
    const isKnown = ({ jobId }: JobHistory) => this.#readLines.has(jobId)
    const unseen = histories.filter((history) => hasEnded(history) && !isKnown(history))
    const seen = histories.filter((history) => !unseen.includes(history))
    await this.follow(seen.map((history) => isKnown(history) ? withoutAdded(history) : history))
    for (const history of unseen.filter(hasFailedUnread)) await this.#reportFailed(history)
  }

  /** Jobs that ran when the agent began: it takes their lines until now as sent by the agent before it. */
  async join(jobIds: ReadonlyArray<string>): Promise<void> {
    await inChunks(jobIds, readsAtOnce, async (jobId) => {
      if (!this.#readLines.has(jobId)) this.#remember(jobId, await this.#count(jobId))
      this.#running.add(jobId)
    })
  }

  async readRunning(): Promise<void> {
    await inChunks([...this.#running].slice(0, maxPolledJobs), readsAtOnce, async (jobId) => {
      const from = this.#readLines.get(jobId) ?? 0
      const { logs } = await this.#queue.getJobLogs(jobId, from, -1)
      // else they are reported already, by a read at its end
      if (this.#readLines.get(jobId) === from) this.#report(jobId, from, logs)
    })
  }

  async #readOf(history: JobHistory): Promise<() => void> {
    const { events, jobId } = history
    const isNew = events.includes("added")
    const known = isNew ? 0 : this.#readLines.get(jobId)
    const { hasEndedAttempt, isGone, isRunning } = outcomeOf(history, this.#running.has(jobId))
    // an agent that has not seen the first attempt takes the lines before this one as sent
    const takesAsSent = known === undefined && events.includes("active") && hasRunBefore(history)
    const from = takesAsSent ? await this.#count(jobId) : known ?? 0
    const logs = hasEndedAttempt ? (await this.#queue.getJobLogs(jobId, from, -1)).logs : []
    return () => {
      if (isNew) this.#readLines.delete(jobId)
      if (isNew || isRunning || hasEndedAttempt) this.#report(jobId, from, logs)
      if (isRunning) this.#running.add(jobId)
      else this.#running.delete(jobId)
      if (isGone) this.#readLines.delete(jobId)
    }
  }

  async #reportFailed({ job, jobId }: JobHistory): Promise<void> {
    if (this.#missedLines >= maxMissedLines) return
    const { logs } = await this.#queue.getJobLogs(jobId)
    this.#missedLines += logs.length
    const at = job?.finishedOn ?? job?.processedOn
    for (const [index, message] of logs.entries()) {
      await this.#context.output.room()
      this.#report(jobId, index, [message], at)
    }
  }

  async #count(jobId: string): Promise<number> {
    return (await this.#queue.getJobLogs(jobId, 0, 0)).count
  }

  /** Lines from this one on, which another read may have reported since. */
  #report(jobId: string, from: number, logs: ReadonlyArray<string>, at = this.#context.now()): void {
    const known = this.#readLines.get(jobId) ?? from
    this.#remember(jobId, Math.max(known, from + logs.length))
    const taskId = taskIdOf(this.#queue.name, jobId)
    for (const message of logs.slice(known - from)) this.#context.output.log(taskId, { at, level: "info", message })
  }

  #remember(jobId: string, count: number): void {
    this.#readLines.delete(jobId)
    this.#readLines.set(jobId, count)
    if (this.#readLines.size <= maxKnownJobs) return
    for (const [oldest] of this.#readLines) return void this.#readLines.delete(oldest)
  }
}
