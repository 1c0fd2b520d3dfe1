import type { Job, Queue } from "bullmq"
import type { JsonInput } from "../../../domain/CanonicalJson.ts"
import { fromEpochMicros } from "../../../domain/Timestamp.ts"
import type { EngineEvent } from "../../runtime/Engine.ts"
import { isCancellation } from "./Cancelling.ts"
import { base, etaAfter, origin, recorded, runtimeOf } from "./JobEvents.ts"
import type { Missed } from "./Missed.ts"
import { Progress } from "./Progress.ts"
import type { Roots } from "./Roots.ts"
import type { Site } from "./Site.ts"
import { momentOf, type StreamEntry } from "./StreamEntry.ts"
import { taskIdOf } from "./TaskId.ts"
import { PUT_BACK, STALLED, WAITS_FOR_CHILDREN } from "./WorkerWatch.ts"

/** What is remembered of jobs between their events. */
const mostRemembered = 20_000
const readAtOnce = 500

interface Known {
  readonly name: string
  readonly running: boolean
}

/**
 * Tells what a queue's event stream says. An entry names the job only; the rest is read from the job as it stands by
 * then, once for all entries of a batch. A job that is removed at once may be gone: then its entries are all there is.
 */
export class StreamTeller {
  readonly #known = new Map<string, Known>()
  readonly #progress: Progress

  readonly #queue: Queue
  readonly #site: Site
  readonly #roots: Roots

  constructor(queue: Queue, site: Site, roots: Roots) {
    this.#queue = queue
    this.#site = site
    this.#roots = roots
    this.#progress = new Progress(site, null)
  }

  async tell(entries: ReadonlyArray<StreamEntry>): Promise<void> {
    const telling = entries.filter(({ event }) => NEEDS_JOB.has(event))
    const jobs = await this.#read(new Set(telling.map(({ jobId }) => jobId)))
    entries.forEach((entry, at) => {
      if (entry.jobId === "") return
      // a stalled job is put back by one entry and called stalled by the next
      const next = entries[at + 1]
      if (entry.event === "waiting" && next?.event === "stalled" && next.jobId === entry.jobId) return
      this.#tell(entry, jobs.get(entry.jobId))
    })
  }

  /** Tells what was made up from the jobs, as if the stream had said it. */
  tellMissed(missed: ReadonlyArray<Missed>): void {
    for (const { entry, event, jobId } of missed) {
      this.#remember(jobId, String(event.data.task_name), entry === "active")
      this.#site.report(event)
    }
  }

  async #read(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Job>> {
    const jobs = new Map<string, Job>()
    const wanted = [...ids]
    for (let from = 0; from < wanted.length; from += readAtOnce) {
      const some = wanted.slice(from, from + readAtOnce)
      for (const job of await Promise.all(some.map((id) => this.#queue.getJob(id)))) {
        if (job?.id !== undefined) jobs.set(job.id, job)
      }
    }
    for (const job of jobs.values()) await this.#roots.find(this.#queue, job)
    return jobs
  }

  #tell({ event, fields, id, jobId }: StreamEntry, job: Job | undefined): void {
    const known = this.#known.get(jobId)
    const name = job?.name ?? fields.get("name") ?? known?.name
    const at = momentOf(id)
    const about = (worker: string | null = null) => ({
      ...(job === undefined ? { task_name: name, queue: this.#queue.name } : base(job, worker)),
      root_task_id: job === undefined ? undefined : this.#roots.known(job)
    })
    const report = (kind: EngineEvent["kind"], more: EngineEvent["data"], worker?: string) =>
      this.#site.report({
        kind,
        taskId: taskIdOf(this.#queue.name, jobId),
        occurredAt: at,
        data: { ...about(worker), ...more }
      })
    const made = job === undefined ? {} : origin(job)
    const runtime = job === undefined ? undefined : runtimeOf(job)
    switch (event) {
      case "added":
        this.#remember(jobId, name, false)
        return report("task.received", { ...made, eta: job && etaAfter(job.timestamp, job.opts.delay) })
      case "active":
        this.#remember(jobId, name, true)
        return report("task.started", { ...made, attempt: job?.attemptsStarted }, job?.processedBy)
      case "completed": {
        this.#forget(jobId)
        const result = jsonOf(fields.get("returnvalue"))
        return report("task.succeeded", { result, runtime_ms: runtime }, job?.processedBy)
      }
      case "failed": {
        this.#forget(jobId)
        const reason = fields.get("failedReason")
        const data = { ...recorded(reason, job?.stacktrace ?? null), runtime_ms: runtime, attempt: job?.attemptsMade }
        return isCancellation(reason)
          ? report("task.revoked", { ...data, terminated: true }, job?.processedBy)
          : report("task.failed", data, job?.processedBy)
      }
      case "stalled":
        this.#remember(jobId, name, false)
        return report("task.retried", { reason: STALLED })
      case "delayed": {
        const eta = fromEpochMicros(Math.round(Number(fields.get("delay") ?? 0) * 1000))
        if (known?.running === true || (known === undefined && (job?.attemptsMade ?? 0) > 0)) {
          this.#remember(jobId, name, false)
          return report("task.retried", { ...whyBack(job), eta })
        }
        return report("task.received", { ...made, eta })
      }
      case "waiting": {
        const previous = fields.get("prev")
        if (previous === "active") {
          this.#remember(jobId, name, false)
          return report("task.retried", whyBack(job))
        }
        if (previous === "failed" || previous === "completed") return report("task.received", made)
        return
      }
      case "waiting-children":
        this.#remember(jobId, name, false)
        return report("unknown", { note: WAITS_FOR_CHILDREN })
      case "progress":
        if (job !== undefined) this.#progress.tell(job, jsonOf(fields.get("data")), at)
        return
      case "removed": {
        this.#forget(jobId)
        const previous = fields.get("prev")
        if (previous === "completed" || previous === "failed") return
        return report("task.revoked", { reason: "removed before it ran" })
      }
    }
  }

  #remember(jobId: string, name: string | undefined, running: boolean): void {
    this.#known.delete(jobId)
    if (name !== undefined) this.#known.set(jobId, { name, running })
    if (this.#known.size <= mostRemembered) return
    for (const [oldest] of this.#known) return void this.#known.delete(oldest)
  }

  #forget(jobId: string): void {
    this.#known.delete(jobId)
    this.#progress.forget(jobId)
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
  "waiting-children",
  "progress"
])

/** Why a job that ran waits again: it failed with attempts left, or its processor put it back. */
const whyBack = (job: Job | undefined): { readonly [field: string]: JsonInput | undefined } =>
  job?.failedReason === undefined || job.failedReason === ""
    ? { reason: PUT_BACK }
    : { ...recorded(job.failedReason, job.stacktrace), attempt: job.attemptsMade }

/** The text of a stored value; what is no JSON is the text itself. */
const jsonOf = (text: string | undefined): JsonInput => {
  if (text === undefined || text === "") return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
