import type { Queue } from "bullmq"
import { Array as Arr, Predicate } from "effect"
import type { EngineContext } from "./EngineContext.ts"
import { inChunks } from "./InChunks.ts"
import { hasEnded, hasRunBefore, type JobHistory, outcomeOf } from "./JobHistory.ts"
import { taskIdOf } from "./TaskId.ts"

/** Running jobs of a queue whose lines are read between their events. */
const maxPolledJobs = 100
/** Jobs whose number of read lines is known. */
const maxKnownJobs = 20_000
/** As many as the output keeps of a task. */
const maxReadLines = 1000
const readsAtOnce = 50

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

  /** All reads come first: where one fails, nothing has changed, and the batch can be followed again. */
  async follow(histories: ReadonlyArray<JobHistory>): Promise<void> {
    if (!this.#context.sendsLogs) return
    for (const report of await inChunks(histories, readsAtOnce, (history) => this.#readOf(history))) report()
  }

  /** Jobs that ran when the agent began. Only where lines are sent. */
  async join(jobIds: ReadonlyArray<string>): Promise<void> {
    await this.#leaveOut(jobIds)
    for (const jobId of jobIds) this.#running.add(jobId)
  }

  /** Jobs that a scan has read. Of those that are new to the agent and still to run, no line is left out. */
  async meet(histories: ReadonlyArray<JobHistory>): Promise<void> {
    if (!this.#context.sendsLogs) return
    const unknown = histories.filter(({ jobId }) => !this.#readLines.has(jobId))
    const idsOf = (some: ReadonlyArray<JobHistory>) => some.map(({ jobId }) => jobId)
    await this.#leaveOut(idsOf(unknown.filter(hasEnded)))
    const [old, fresh] = Arr.partition(
      unknown.filter(Predicate.not(hasEnded)),
      ({ events }) => events.includes("added")
    )
    await this.join(idsOf(old))
    await this.follow(fresh)
  }

  /** Takes the lines until now, of jobs that were not known, as sent by the agent before. */
  async #leaveOut(jobIds: ReadonlyArray<string>): Promise<void> {
    await inChunks(jobIds, readsAtOnce, async (jobId) => {
      if (!this.#readLines.has(jobId)) this.#remember(jobId, await this.#count(jobId))
    })
  }

  async readRunning(): Promise<void> {
    await inChunks([...this.#running].slice(0, maxPolledJobs), readsAtOnce, async (jobId) => {
      const from = this.#readLines.get(jobId) ?? 0
      const { count, logs } = await this.#readFrom(jobId, from)
      // else they are reported already, by a read at its end
      if (this.#readLines.get(jobId) === from) this.#report(jobId, from, logs, count)
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
    const { count, logs } = hasEndedAttempt ? await this.#readFrom(jobId, from) : { count: from, logs: [] }
    return () => {
      if (isNew) this.#readLines.delete(jobId)
      if (isNew || isRunning || hasEndedAttempt) this.#report(jobId, from, logs, count)
      if (isRunning) this.#running.add(jobId)
      else this.#running.delete(jobId)
      if (isGone) this.#readLines.delete(jobId)
    }
  }

  async #count(jobId: string): Promise<number> {
    return (await this.#queue.getJobLogs(jobId, 0, 0)).count
  }

  async #readFrom(jobId: string, from: number) {
    return this.#queue.getJobLogs(jobId, from, from + maxReadLines - 1)
  }

  /** Lines from this one on, which another read may have reported since, of a job that has `count`. */
  #report(jobId: string, from: number, logs: ReadonlyArray<string>, count: number): void {
    const known = this.#readLines.get(jobId) ?? from
    this.#remember(jobId, Math.max(known, count))
    const at = this.#context.now()
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
