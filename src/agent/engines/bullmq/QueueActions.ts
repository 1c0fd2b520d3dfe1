/** Actions that need only a queue, wherever its workers are. */
import type { Job, JobsOptions, JobState, Queue } from "bullmq"
import { Effect } from "effect"
import type { ActionFailed, ActionResult, Actions, RetryRequest, RunAt, TaskCall } from "../../runtime/Engine.ts"
import { canLimitRate, resetAttempts } from "./Backend.ts"
import { read, refuse, write } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"
import { dataOf } from "./JobData.ts"
import { baseData, taskIdOfJob } from "./JobEvents.ts"
import { findJob, getQueue } from "./Queues.ts"
import { taskIdOf } from "./TaskId.ts"

export const submitTask = (context: EngineContext): NonNullable<Actions["submit_task"]> =>
  Effect.fnUntraced(function*(call: TaskCall) {
    const queue = yield* getQueue(context.queues, call.queue)
    const data = yield* dataOf(call)
    const options = { ...delayOf(context, call), ...(yield* priorityOptionsOf(call.priority)) }
    const task_id = yield* addOnce(queue, call.task_name, data, options, call.submission_id)
    return { task_id, engine: "bullmq", queue: queue.name }
  })

/** A brain sends a fire again within its command's timeout, an hour at most. */
const SUBMISSION_TTL_MILLIS = 2 * 3_600_000

/**
 * Adds a job and returns its task's id. Redis refuses a second job of the submission, from whichever process it comes:
 * by the job's id, and where the queue removes ended jobs, by the deduplication key, which outlives the job.
 */
export const addOnce = Effect.fnUntraced(function*(
  queue: Queue,
  name: string,
  data: unknown,
  options: JobsOptions,
  submissionId: string | undefined
) {
  if (submissionId === undefined) return taskIdOfJob(yield* addJob(queue, name, data, options))
  // asked before, because `add` has the job reported as received, also one that is not added
  const known = yield* read(() => queue.getDeduplicationJobId(submissionId))
  if (known !== null) return taskIdOf(queue.name, known)
  const deduplication = { id: submissionId, ttl: SUBMISSION_TTL_MILLIS }
  return taskIdOfJob(yield* addJob(queue, name, data, { deduplication, ...options, jobId: submissionId }))
})

/**
 * A failed job runs again under its id. A completed one, or a retry at a later time or with a priority, is a new job
 * with the same value. With overrides it is always a new job.
 */
export const retryTask = (context: EngineContext): NonNullable<Actions["retry_task"]> =>
  Effect.fnUntraced(function*(retry: RetryRequest) {
    const { job, jobId, queue } = yield* findJob(context.queues, retry.task_id)
    const delay = delayOf(context, retry)
    const priority = yield* priorityOptionsOf(retry.priority)
    const submitCopy = Effect.fnUntraced(function*(name: string, data: unknown) {
      const copy = yield* addJob(queue, name, data, { ...copiedOptionsOf(job), ...delay, ...priority })
      const task_id = taskIdOfJob(copy)
      return { task_id, new_task_id: task_id, previous_task_id: retry.task_id, queue: queue.name }
    })
    if (retry.overrides !== undefined) {
      const name = job?.name ?? retry.task_name
      if (name === undefined) return yield* refuse("BullMQ no longer has the job: name the task")
      return yield* submitCopy(name, yield* dataOf(retry.overrides, job?.data))
    }
    if (job === null) return yield* refuse("BullMQ no longer has the job: give its arguments to run it as a new one")
    const state = yield* read(() => queue.getJobState(jobId))
    if (state !== "failed" && state !== "completed") {
      return yield* refuse(`the job is ${state}: there is nothing to retry`)
    }
    if (state === "completed" || delay.delay !== undefined || priority.priority !== undefined) {
      return yield* submitCopy(job.name, job.data)
    }
    return yield* retryInPlace(context, queue, job)
  })

export const requeueDeadLetter = (context: EngineContext): NonNullable<Actions["requeue_dead_letter"]> =>
  Effect.fnUntraced(function*(retry: RetryRequest) {
    const { job, jobId, queue } = yield* findJob(context.queues, retry.task_id)
    const state = job === null ? "unknown" : yield* read(() => queue.getJobState(jobId))
    if (state !== "failed") return yield* refuse("the job is not among its queue's failed ones")
    return yield* retryTask(context)(retry)
  })

/** Removes a job that has not begun. `running` ends one that runs. */
export const cancelTask = (
  context: EngineContext,
  cancelRunning: (queue: Queue, jobId: string) => ReturnType<NonNullable<Actions["cancel_task"]>>
): NonNullable<Actions["cancel_task"]> =>
  Effect.fnUntraced(function*({ task_id }) {
    const { job, jobId, queue } = yield* findJob(context.queues, task_id)
    if (job === null) return yield* refuse("BullMQ has no such job: it never existed or was removed")
    const state = yield* read(() => queue.getJobState(jobId))
    const stopRunning = Effect.map(cancelRunning(queue, jobId), (result): ActionResult => ({ task_id, ...result }))
    /** A job may end while its process is searched for. */
    const orAlreadyEnded = (refusal: ActionFailed) =>
      Effect.flatMap(read(() => queue.getJobState(jobId)), (now) => {
        const result = alreadyEnded(task_id, now)
        return result === null ? Effect.fail(refusal) : Effect.succeed(result)
      })
    const endedResult = alreadyEnded(task_id, state)
    if (endedResult !== null) return endedResult
    if (state === "active") return yield* Effect.catchAll(stopRunning, orAlreadyEnded)
    // its children run on: they are separate tasks
    const removed = yield* Effect.either(write(() => job.remove({ removeChildren: false })))
    if (removed._tag === "Left") {
      const isActive = (yield* read(() => queue.getJobState(jobId))) === "active"
      return isActive ? yield* Effect.catchAll(stopRunning, orAlreadyEnded) : yield* removed.left
    }
    const data = { ...baseData(job, null), reason: "cancelled before it ran" }
    context.report({ kind: "task.revoked", taskId: taskIdOfJob(job), occurredAt: context.now(), data })
    return { task_id, cancelled: true, was: state }
  })

const alreadyEnded = (task_id: string, state: JobState | "unknown"): ActionResult | null =>
  state === "completed" || state === "failed" ? { task_id, noop: true, reason: `the job has ${state} already` } : null

/** BullMQ limits a queue, for all its workers together. It has no rate for one worker or a task's name. */
export const rateLimit = (context: EngineContext): NonNullable<Actions["rate_limit"]> =>
  Effect.fnUntraced(function*({ rate, task_name, worker_name }) {
    if (worker_name !== undefined) {
      return yield* refuse("BullMQ has one rate for all workers of a queue: leave the worker out")
    }
    const queue = context.queues.get(task_name)
    if (queue === undefined) {
      const names = [...context.queues.keys()].join(", ")
      return yield* refuse(`BullMQ limits queues, not tasks: give a queue's name for the task's, one of: ${names}`)
    }
    const [, count = "", unit = "s"] = /^(\d+)(?:\/([smh]))?$/.exec(rate) ?? []
    if (count === "") return yield* refuse(`${rate} is not a rate; write 0, 10, 10/s, 10/m or 10/h`)
    if (!canLimitRate(queue)) return yield* refuse("BullMQ limits the rate of a queue since 5.61")
    yield* Number(count) === 0
      ? write(() => queue.removeGlobalRateLimit())
      : write(() => queue.setGlobalRateLimit(Number(count), MILLIS[unit] ?? 1000))
    return { task_name, queue: queue.name, rate, worker: null }
  })

/** For all workers of all processes, and in Redis, so that it outlives them. A queue that is so already is left so. */
export const setPaused = (context: EngineContext, isPaused: boolean): NonNullable<Actions["pause_queue"]> =>
  Effect.fnUntraced(function*({ queue: name }) {
    const queue = yield* getQueue(context.queues, name)
    yield* write(() => (isPaused ? queue.pause() : queue.resume()))
    return { queue: name, paused: isPaused }
  })

const MILLIS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

const retryInPlace = Effect.fnUntraced(function*(context: EngineContext, queue: Queue, job: Job) {
  // with all its attempts, like a new job
  yield* write(async () => {
    await resetAttempts(queue, job)
    await job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true })
  })
  const task_id = taskIdOfJob(job)
  const data = { ...baseData(job, null), reason: "retried by command" }
  context.report({ kind: "task.received", taskId: task_id, occurredAt: context.now(), data })
  return { task_id, queue: queue.name, source: "failed" }
})

/** The queue reports the new job, like any added one. */
const addJob = (queue: Queue, name: string, data: unknown, options: JobsOptions) =>
  write(() => queue.add(name, data, options))

/** The options that a new job has from the one that it replaces. */
const copiedOptionsOf = (job: Job | null): JobsOptions => {
  if (job === null) return {}
  const { attempts, backoff, keepLogs, lifo, priority, removeOnComplete, removeOnFail, stackTraceLimit } = job.opts
  const options = { attempts, backoff, keepLogs, lifo, priority, removeOnComplete, removeOnFail, stackTraceLimit }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

const delayOf = (context: EngineContext, { eta, eta_seconds }: RunAt): { readonly delay?: number } => {
  const delay = eta === undefined ? (eta_seconds ?? 0) * 1000 : eta * 1000 - context.now()
  return delay > 0 ? { delay: Math.round(delay) } : {}
}

const maxPriority = 2_097_151

/**
 * The protocol's priorities as BullMQ's, where 0 runs first, then 1, up to the highest. A brain sends `normal` when it
 * asks for none: the job keeps its priority.
 */
const LABELS: ReadonlyMap<string, JobsOptions> = new Map([
  ["critical", { priority: 0, lifo: true }],
  ["high", { priority: 0 }],
  ["normal", {}],
  ["low", { priority: maxPriority }]
])

const priorityOptionsOf = (
  priority: number | string | undefined
): Effect.Effect<Pick<JobsOptions, "priority" | "lifo">, ActionFailed> => {
  if (priority === undefined) return Effect.succeed({})
  const labelled = typeof priority === "string" ? LABELS.get(priority) : undefined
  if (labelled !== undefined) return Effect.succeed(labelled)
  return typeof priority === "number" && Number.isInteger(priority) && priority >= 0 && priority <= maxPriority
    ? Effect.succeed({ priority })
    : refuse(
      "BullMQ's priorities are critical, high, normal and low, or whole numbers: 0 runs first, then 1, up to 2097151"
    )
}
