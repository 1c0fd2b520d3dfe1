import type { Job, Queue } from "bullmq"
import type { JsonInput } from "../../../domain/kernel/CanonicalJson.ts"
import type { EngineEvent } from "../../runtime/Engine.ts"
import { isCancellation } from "./Cancellation.ts"
import type { EngineContext } from "./EngineContext.ts"
import type { FlowRoots } from "./FlowRoots.ts"
import { inChunks } from "./InChunks.ts"
import {
  baseData,
  etaAfter,
  etaOf,
  originData,
  REQUEUED,
  runtimeOf,
  STALLED,
  storedErrorData,
  WAITS_FOR_CHILDREN
} from "./JobEvents.ts"
import { historiesOf } from "./JobHistory.ts"
import type { MissedEvent } from "./MissedEvents.ts"
import { StoredLogs } from "./StoredLogs.ts"
import { epochMillisOf, type StreamEntry } from "./StreamEntry.ts"
import { taskIdOf } from "./TaskId.ts"

/** State of a job between its events. */
const maxKnownJobs = 20_000
const readBatchSize = 500

interface KnownJob {
  readonly name: string
  readonly running: boolean
}

/**
 * Reports the entries of a queue's event stream. An entry names only the job. The rest is read from the job as it is
 * then, once for all entries of a batch. A job that is removed at its end may be gone: then only its entries are
 * reported.
 */
export class StreamReporter {
  readonly #known = new Map<string, KnownJob>()

  readonly #logs: StoredLogs

  readonly #queue: Queue
  readonly #site: EngineContext
  readonly #roots: FlowRoots

  constructor(queue: Queue, context: EngineContext, roots: FlowRoots) {
    this.#queue = queue
    this.#site = context
    this.#roots = roots
    this.#logs = new StoredLogs(queue, context)
  }

  async report(entries: ReadonlyArray<StreamEntry>): Promise<void> {
    const needsJob = entries.filter(({ event }) => NEEDS_JOB.has(event))
    const jobs = await this.#read(new Set(needsJob.map(({ jobId }) => jobId)))
    await this.#logs.follow(historiesOf(entries, jobs)) // lines are reported before the end of their attempt
    entries.forEach((entry, index) => {
      if (entry.jobId === "") return
      // of a stalled job one entry says that it waits again, and the next that it stalled
      const next = entries[index + 1]
      if (entry.event === "waiting" && next?.event === "stalled" && next.jobId === entry.jobId) return
      this.#reportEntry(entry, jobs.get(entry.jobId))
    })
  }

  /** Reports the lines of jobs that run. */
  readLogs(): Promise<void> {
    return this.#logs.readRunning()
  }

  /** Jobs that ran when the agent began. */
  join(jobIds: ReadonlyArray<string>): Promise<void> {
    return this.#logs.join(jobIds)
  }

  /** Reports transitions that were read from the jobs, like entries of the stream. */
  async reportMissed(missed: ReadonlyArray<MissedEvent>): Promise<void> {
    await this.#logs.meet(historiesOf(missed.map(({ entry, jobId }) => ({ event: entry, jobId })), new Map()))
    for (const { entry, event, jobId } of missed) {
      if (entry === "completed" || entry === "failed") this.#dropJob(jobId)
      else this.#remember(jobId, String(event.data.task_name), entry === "active")
      this.#site.report(event)
    }
  }

  async #read(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Job>> {
    const jobs = new Map<string, Job>()
    for (const job of await inChunks([...ids], readBatchSize, (id) => this.#queue.getJob(id))) {
      if (job?.id !== undefined) jobs.set(job.id, job)
    }
    for (const job of jobs.values()) await this.#roots.find(this.#queue, job)
    return jobs
  }

  #reportEntry({ event, fields, id, jobId }: StreamEntry, job: Job | undefined): void {
    const cachedJob = this.#known.get(jobId)
    const name = job?.name ?? fields.get("name") ?? cachedJob?.name
    const at = epochMillisOf(id)
    const about = (worker: string | null = null) => ({
      ...(job === undefined ? { task_name: name, queue: this.#queue.name } : baseData(job, worker)),
      root_task_id: job === undefined ? undefined : this.#roots.cachedRoot(job)
    })
    const report = (kind: EngineEvent["kind"], more: EngineEvent["data"], worker?: string) =>
      this.#site.report({
        kind,
        taskId: taskIdOf(this.#queue.name, jobId),
        occurredAt: at,
        data: { ...about(worker), ...more }
      })
    const origin = job === undefined ? {} : originData(job)
    const runtime = job === undefined ? undefined : runtimeOf(job)
    switch (event) {
      case "added":
        this.#remember(jobId, name, false)
        return report("task.received", { ...origin, eta: job && etaAfter(job.timestamp, job.opts.delay) })
      case "active":
        this.#remember(jobId, name, true)
        return report("task.started", { ...origin, attempt: job?.attemptsStarted }, job?.processedBy)
      case "completed": {
        this.#dropJob(jobId)
        const result = jsonOf(fields.get("returnvalue"))
        return report("task.succeeded", { result, runtime_ms: runtime }, job?.processedBy)
      }
      case "failed": {
        this.#dropJob(jobId)
        const reason = fields.get("failedReason")
        const data = {
          ...storedErrorData(reason, job?.stacktrace ?? null),
          runtime_ms: runtime,
          attempt: job?.attemptsMade
        }
        return isCancellation(reason)
          ? report("task.revoked", { ...data, terminated: true }, job?.processedBy)
          : report("task.failed", data, job?.processedBy)
      }
      case "stalled":
        this.#remember(jobId, name, false)
        return report("task.retried", { reason: STALLED })
      case "delayed": {
        const eta = etaOf(Number(fields.get("delay") ?? 0))
        if (cachedJob?.running === true || (cachedJob === undefined && (job?.attemptsMade ?? 0) > 0)) {
          this.#remember(jobId, name, false)
          return report("task.retried", { ...retryReasonOf(job), eta })
        }
        return report("task.received", { ...origin, eta })
      }
      case "waiting": {
        const previous = fields.get("prev")
        if (previous === "active") {
          this.#remember(jobId, name, false)
          return report("task.retried", retryReasonOf(job))
        }
        if (previous === "failed" || previous === "completed") return report("task.received", origin)
        return
      }
      case "waiting-children":
        this.#remember(jobId, name, false)
        return report("unknown", { note: WAITS_FOR_CHILDREN })
      case "progress":
        this.#site.output.progress(taskIdOf(this.#queue.name, jobId), jsonOf(fields.get("data")), at)
        return
      case "removed": {
        this.#dropJob(jobId)
        const previous = fields.get("prev")
        if (previous === "completed" || previous === "failed") return
        return report("task.revoked", { reason: "removed before it ran" })
      }
    }
  }

  #remember(jobId: string, name: string | undefined, running: boolean): void {
    this.#known.delete(jobId)
    if (name !== undefined) this.#known.set(jobId, { name, running })
    if (this.#known.size <= maxKnownJobs) return
    for (const [oldest] of this.#known) return void this.#known.delete(oldest)
  }

  #dropJob(jobId: string): void {
    this.#known.delete(jobId)
    this.#site.output.end(taskIdOf(this.#queue.name, jobId))
  }
}

const NEEDS_JOB: ReadonlySet<string> = new Set([
  "added",
  "active",
  "completed",
  "failed",
  "stalled",
  "delayed",
  "waiting",
  "waiting-children"
])

/** Why a job that ran waits again: it failed with attempts left, or its processor put it back. */
const retryReasonOf = (job: Job | undefined): { readonly [field: string]: JsonInput | undefined } =>
  job?.failedReason === undefined || job.failedReason === ""
    ? { reason: REQUEUED }
    : { ...storedErrorData(job.failedReason, job.stacktrace), attempt: job.attemptsMade }

/** The value of a stored JSON text; the text itself where it is not JSON. */
const jsonOf = (text: string | undefined): JsonInput => {
  if (text === undefined || text === "") return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
