/** What became of jobs while nobody listened, as far as the jobs themselves still say. */
import type { Job, Queue } from "bullmq"
import type { EngineEvent } from "../../runtime/Engine.ts"
import { isCancellation } from "./Cancelling.ts"
import { asIs } from "./Data.ts"
import { base, etaAfter, origin, recorded, runtimeOf, taskIdOfJob } from "./JobEvents.ts"
import type { Roots } from "./Roots.ts"

/** One transition, and the name of the stream's entry that tells of the same. */
export interface Missed {
  readonly entry: "added" | "active" | "completed" | "failed"
  readonly jobId: string
  readonly event: EngineEvent
}

/** Of each state; of finished jobs the latest. */
const mostJobs = 10_000
const page = 500
const STATES = ["waiting", "prioritized", "delayed", "waiting-children", "active", "completed", "failed"] as const
/** How far the clocks of the machines that add and run jobs may differ from Redis's. */
const clocksDiffer = 1000

/**
 * What happened since that moment (epoch milliseconds, 0 for ever), by the jobs' own times, a page of jobs at a time:
 * they may be large. What happened within a second before it is there too, since clocks differ: better told twice than
 * not at all. A job that goes from one state to the next while these are looked through is met in both: what it did is
 * there once.
 */
export const missedSince = async function*(
  queue: Queue,
  roots: Roots,
  since: number
): AsyncGenerator<ReadonlyArray<Missed>> {
  const met = new Set<string>()
  const isNew = (transition: Missed) => {
    const key = `${transition.entry} ${transition.event.occurredAt} ${transition.jobId}`
    return !met.has(key) && met.add(key)
  }
  for (const state of STATES) {
    for (let from = 0; from < mostJobs; from += page) {
      const jobs = await queue.getJobs([state], from, from + page - 1, false)
      const missed = await sinceThen(queue, jobs, () => state, roots, since)
      yield missed.filter(isNew)
      if (jobs.length < page) break
    }
  }
}

/**
 * The same of single jobs, as far as they began: for those that changed their state while the states were looked
 * through, and so may have been met in none.
 */
export const missedOf = async function*(
  queue: Queue,
  roots: Roots,
  ids: ReadonlySet<string>,
  since: number
): AsyncGenerator<ReadonlyArray<Missed>> {
  const all = [...ids]
  for (let from = 0; from < all.length; from += page) {
    const jobs = await Promise.all(all.slice(from, from + page).map((id) => queue.getJob(id)))
    yield sinceThen(queue, jobs, (job) => job.processedOn === undefined ? "waiting" : "active", roots, since)
  }
}

/** A job that was removed while it was asked for is none. */
const sinceThen = async (
  queue: Queue,
  jobs: ReadonlyArray<Job | undefined>,
  stateOf: (job: Job) => string,
  roots: Roots,
  since: number
): Promise<ReadonlyArray<Missed>> => {
  const missed: Array<Missed> = []
  for (const job of jobs) {
    if (job === undefined) continue
    await roots.find(queue, job)
    const transitions = transitionsOf(job, stateOf(job), roots)
    missed.push(...transitions.filter(({ event }) => event.occurredAt > since - clocksDiffer))
  }
  return missed
}

const transitionsOf = (job: Job, state: string, roots: Roots): ReadonlyArray<Missed> => {
  const transitions: Array<Missed> = []
  const worker = job.processedBy ?? null
  const tell = (
    entry: Missed["entry"],
    kind: EngineEvent["kind"],
    occurredAt: number | undefined,
    data: EngineEvent["data"]
  ) => {
    if (occurredAt === undefined) return
    const about = { ...base(job, entry === "added" ? null : worker), root_task_id: roots.known(job) }
    const event = { kind, taskId: taskIdOfJob(job), occurredAt, data: { ...about, ...data } }
    transitions.push({ entry, jobId: job.id ?? "", event })
  }
  const ended = state === "completed" || state === "failed"
  tell("added", "task.received", job.timestamp, { ...origin(job), eta: etaAfter(job.timestamp, job.opts.delay) })
  if (ended || state === "active") {
    tell("active", "task.started", job.processedOn, { ...origin(job), attempt: job.attemptsStarted })
  }
  if (!ended) return transitions
  const runtime_ms = runtimeOf(job)
  if (state === "completed") {
    tell("completed", "task.succeeded", job.finishedOn, { runtime_ms, result: asIs(job.returnvalue ?? null) })
  } else {
    const data = { runtime_ms, ...recorded(job.failedReason, job.stacktrace) }
    if (isCancellation(job.failedReason)) tell("failed", "task.revoked", job.finishedOn, { ...data, terminated: true })
    else tell("failed", "task.failed", job.finishedOn, data)
  }
  return transitions
}
