/** Transitions that no listener saw, read from the jobs that still exist. */
import type { Job, Queue } from "bullmq"
import type { EngineEvent } from "../../runtime/Engine.ts"
import { isCancellation } from "./Cancellation.ts"
import type { FlowRoots } from "./FlowRoots.ts"
import { asJson } from "./JobData.ts"
import { baseData, etaAfter, originData, runtimeOf, storedErrorData, taskIdOfJob } from "./JobEvents.ts"

/** One transition, and the name of the stream's entry for it. */
export interface MissedEvent {
  readonly entry: "added" | "active" | "completed" | "failed"
  readonly jobId: string
  readonly event: EngineEvent
}

/** Maximum number of jobs read per state; of finished jobs, the latest. */
const maxJobs = 10_000
const pageSize = 500
const STATES = ["waiting", "prioritized", "delayed", "waiting-children", "active", "completed", "failed"] as const
/** Allowed difference between Redis's clock and those of machines that add and run jobs. */
const maxClockSkewMillis = 1000

/**
 * Transitions since that moment (epoch milliseconds, 0 for all), by the jobs' own times, a page of jobs at a time
 * because jobs may be large. Those of the second before it are included, since clocks differ: a repeated event is
 * better than a lost one. A job that changes its state during the reads may be found in both states: its transitions
 * are returned once.
 */
export const readMissedSince = async function*(
  queue: Queue,
  roots: FlowRoots,
  since: number
): AsyncGenerator<ReadonlyArray<MissedEvent>> {
  const seen = new Set<string>()
  const isNew = (transition: MissedEvent) => {
    const key = `${transition.entry} ${transition.event.occurredAt} ${transition.jobId}`
    return !seen.has(key) && seen.add(key)
  }
  for (const state of STATES) {
    for (let from = 0; from < maxJobs; from += pageSize) {
      const jobs = await queue.getJobs([state], from, from + pageSize - 1, false)
      const missed = await transitionsSince(queue, jobs, () => state, roots, since)
      yield missed.filter(isNew)
      if (jobs.length < pageSize) break
    }
  }
}

/**
 * Transitions of single jobs since that moment: jobs that have begun and changed their state during the reads, so that
 * no read may have found them.
 */
export const readMissedOf = async function*(
  queue: Queue,
  roots: FlowRoots,
  ids: ReadonlySet<string>,
  since: number
): AsyncGenerator<ReadonlyArray<MissedEvent>> {
  const all = [...ids]
  for (let from = 0; from < all.length; from += pageSize) {
    const jobs = await Promise.all(all.slice(from, from + pageSize).map((id) => queue.getJob(id)))
    yield transitionsSince(queue, jobs, (job) => job.processedOn === undefined ? "waiting" : "active", roots, since)
  }
}

/** Leaves out jobs that were removed during the read. */
const transitionsSince = async (
  queue: Queue,
  jobs: ReadonlyArray<Job | undefined>,
  stateOf: (job: Job) => string,
  roots: FlowRoots,
  since: number
): Promise<ReadonlyArray<MissedEvent>> => {
  const missed: Array<MissedEvent> = []
  for (const job of jobs) {
    if (job === undefined) continue
    await roots.find(queue, job)
    const transitions = transitionsOf(job, stateOf(job), roots)
    missed.push(...transitions.filter(({ event }) => event.occurredAt > since - maxClockSkewMillis))
  }
  return missed
}

const transitionsOf = (job: Job, state: string, roots: FlowRoots): ReadonlyArray<MissedEvent> => {
  const transitions: Array<MissedEvent> = []
  const worker = job.processedBy ?? null
  const add = (
    entry: MissedEvent["entry"],
    kind: EngineEvent["kind"],
    occurredAt: number | undefined,
    data: EngineEvent["data"]
  ) => {
    if (occurredAt === undefined) return
    const about = { ...baseData(job, entry === "added" ? null : worker), root_task_id: roots.cachedRoot(job) }
    const event = { kind, taskId: taskIdOfJob(job), occurredAt, data: { ...about, ...data } }
    transitions.push({ entry, jobId: job.id ?? "", event })
  }
  const hasEnded = state === "completed" || state === "failed"
  add("added", "task.received", job.timestamp, { ...originData(job), eta: etaAfter(job.timestamp, job.opts.delay) })
  if (hasEnded || state === "active") {
    add("active", "task.started", job.processedOn, { ...originData(job), attempt: job.attemptsStarted })
  }
  if (!hasEnded) return transitions
  const runtime_ms = runtimeOf(job)
  if (state === "completed") {
    add("completed", "task.succeeded", job.finishedOn, { runtime_ms, result: asJson(job.returnvalue ?? null) })
  } else {
    const data = { runtime_ms, ...storedErrorData(job.failedReason, job.stacktrace) }
    if (isCancellation(job.failedReason)) add("failed", "task.revoked", job.finishedOn, { ...data, terminated: true })
    else add("failed", "task.failed", job.finishedOn, data)
  }
  return transitions
}
