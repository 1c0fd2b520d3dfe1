/** What may be done by a queue alone, wherever its workers are. */
import type { Job, JobsOptions, JobState, Queue } from "bullmq"
import { Effect } from "effect"
import type { ActionFailed, Actions, Answer, Call, Retry, When } from "../../runtime/Engine.ts"
import { read, refuse, write } from "./Broker.ts"
import { dataOf } from "./Data.ts"
import { base, taskIdOfJob } from "./JobEvents.ts"
import { jobOf, queueNamed } from "./Queues.ts"
import type { Site } from "./Site.ts"

export const submitTask = (site: Site): NonNullable<Actions["submit_task"]> =>
  Effect.fnUntraced(function*(call: Call) {
    const queue = yield* queueNamed(site.queues, call.queue)
    const job = yield* add(queue, call.task_name, yield* dataOf(call), {
      ...delayOf(site, call),
      ...(yield* priorityOf(call.priority))
    })
    return { task_id: taskIdOfJob(job), engine: "bullmq", queue: queue.name }
  })

/**
 * A failed job runs again under its id; one that completed, or that is to run later or with another priority, as a new
 * job with the same value. With overrides it is a new job in any case.
 */
export const retryTask = (site: Site): NonNullable<Actions["retry_task"]> =>
  Effect.fnUntraced(function*(retry: Retry) {
    const { job, jobId, queue } = yield* jobOf(site.queues, retry.task_id)
    const delay = delayOf(site, retry)
    const priority = yield* priorityOf(retry.priority)
    const afresh = Effect.fnUntraced(function*(name: string, data: unknown) {
      const made = yield* add(queue, name, data, { ...keptOf(job), ...delay, ...priority })
      const task_id = taskIdOfJob(made)
      return { task_id, new_task_id: task_id, previous_task_id: retry.task_id, queue: queue.name }
    })
    if (retry.overrides !== undefined) {
      const name = job?.name ?? retry.task_name
      if (name === undefined) return yield* refuse("BullMQ has the job no more: name the task")
      return yield* afresh(name, yield* dataOf(retry.overrides, job?.data))
    }
    if (job === null) return yield* refuse("BullMQ has the job no more: give its arguments to run it as a new one")
    const state = yield* read(() => queue.getJobState(jobId))
    if (state !== "failed" && state !== "completed") {
      return yield* refuse(`the job is ${state}: there is nothing to retry`)
    }
    if (state === "completed" || delay.delay !== undefined || priority.priority !== undefined) {
      return yield* afresh(job.name, job.data)
    }
    return yield* again(site, queue, job)
  })

export const requeueDeadLetter = (site: Site): NonNullable<Actions["requeue_dead_letter"]> =>
  Effect.fnUntraced(function*(retry: Retry) {
    const { job, jobId, queue } = yield* jobOf(site.queues, retry.task_id)
    const state = job === null ? "unknown" : yield* read(() => queue.getJobState(jobId))
    if (state !== "failed") return yield* refuse("the job is not among its queue's failed ones")
    return yield* retryTask(site)(retry)
  })

/** A job that has not begun is removed. One that runs is for `running` to end. */
export const cancelTask = (
  site: Site,
  running: (queue: Queue, jobId: string) => ReturnType<NonNullable<Actions["cancel_task"]>>
): NonNullable<Actions["cancel_task"]> =>
  Effect.fnUntraced(function*({ task_id }) {
    const { job, jobId, queue } = yield* jobOf(site.queues, task_id)
    if (job === null) return yield* refuse("BullMQ has no such job, or no more")
    const state = yield* read(() => queue.getJobState(jobId))
    const stop = Effect.map(running(queue, jobId), (answer): Answer => ({ task_id, ...answer }))
    /** A job that ends while it is looked for runs nowhere any more. */
    const orEnded = (refusal: ActionFailed) =>
      Effect.flatMap(read(() => queue.getJobState(jobId)), (now) => {
        const answer = alreadyEnded(task_id, now)
        return answer === null ? Effect.fail(refusal) : Effect.succeed(answer)
      })
    const ended = alreadyEnded(task_id, state)
    if (ended !== null) return ended
    if (state === "active") return yield* Effect.catchAll(stop, orEnded)
    // its children, if it has any, run on: they are tasks of their own
    const removed = yield* Effect.either(write(() => job.remove({ removeChildren: false })))
    if (removed._tag === "Left") {
      const began = (yield* read(() => queue.getJobState(jobId))) === "active"
      return began ? yield* Effect.catchAll(stop, orEnded) : yield* removed.left
    }
    const data = { ...base(job, null), reason: "cancelled before it ran" }
    site.report({ kind: "task.revoked", taskId: taskIdOfJob(job), occurredAt: site.now(), data })
    return { task_id, cancelled: true, was: state }
  })

const alreadyEnded = (task_id: string, state: JobState | "unknown"): Answer | null =>
  state === "completed" || state === "failed" ? { task_id, noop: true, reason: `the job has ${state} already` } : null

/** BullMQ limits a queue, for all its workers together; a worker or a task name cannot have a rate of its own. */
export const rateLimit = (site: Site): NonNullable<Actions["rate_limit"]> =>
  Effect.fnUntraced(function*({ rate, task_name, worker_name }) {
    if (worker_name !== undefined) {
      return yield* refuse("BullMQ has one rate for all workers of a queue: leave the worker out")
    }
    const queue = site.queues.get(task_name)
    if (queue === undefined) {
      const names = [...site.queues.keys()].join(", ")
      return yield* refuse(`BullMQ limits queues, not tasks: give a queue's name for the task's, one of: ${names}`)
    }
    const [, count = "", unit = "s"] = /^(\d+)(?:\/([smh]))?$/.exec(rate) ?? []
    if (count === "") return yield* refuse(`${rate} is no rate; write 0, 10, 10/s, 10/m or 10/h`)
    yield* Number(count) === 0
      ? write(() => queue.removeGlobalRateLimit())
      : write(() => queue.setGlobalRateLimit(Number(count), MILLIS[unit] ?? 1000))
    return { task_name, queue: queue.name, rate, worker: null }
  })

const MILLIS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

const again = Effect.fnUntraced(function*(site: Site, queue: Queue, job: Job) {
  // with all its attempts before it, as if it were new
  yield* write(() => job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true }))
  const task_id = taskIdOfJob(job)
  const data = { ...base(job, null), reason: "retried by command" }
  site.report({ kind: "task.received", taskId: task_id, occurredAt: site.now(), data })
  return { task_id, queue: queue.name, source: "failed" }
})

/** The queue tells of it by itself, as of any job that is added. */
const add = (queue: Queue, name: string, data: unknown, options: JobsOptions) =>
  write(() => queue.add(name, data, options))

/** What a new job in place of another has from it. */
const keptOf = (job: Job | null): JobsOptions => {
  if (job === null) return {}
  const { attempts, backoff, keepLogs, lifo, priority, removeOnComplete, removeOnFail, stackTraceLimit } = job.opts
  const kept = { attempts, backoff, keepLogs, lifo, priority, removeOnComplete, removeOnFail, stackTraceLimit }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined))
}

const delayOf = (site: Site, { eta, eta_seconds }: When): { readonly delay?: number } => {
  const delay = eta === undefined ? (eta_seconds ?? 0) * 1000 : eta * 1000 - site.now()
  return delay > 0 ? { delay: Math.round(delay) } : {}
}

const highestPriority = 2_097_151

/**
 * The protocol's words in BullMQ's terms, where 0 runs first, then 1, up to the highest. `normal` is what a brain sends that
 * asks for nothing: the job keeps what it has.
 */
const LABELS: ReadonlyMap<string, JobsOptions> = new Map([
  ["critical", { priority: 0, lifo: true }],
  ["high", { priority: 0 }],
  ["normal", {}],
  ["low", { priority: highestPriority }]
])

const priorityOf = (
  priority: number | string | undefined
): Effect.Effect<Pick<JobsOptions, "priority" | "lifo">, ActionFailed> => {
  if (priority === undefined) return Effect.succeed({})
  const labelled = typeof priority === "string" ? LABELS.get(priority) : undefined
  if (labelled !== undefined) return Effect.succeed(labelled)
  return typeof priority === "number" && Number.isInteger(priority) && priority >= 0 && priority <= highestPriority
    ? Effect.succeed({ priority })
    : refuse("BullMQ's priorities are critical, high, normal and low, or whole numbers: 0 runs first, then 1, up to 2097151")
}
