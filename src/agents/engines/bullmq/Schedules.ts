/** BullMQ's job schedulers, as schedules of the engine. */
import type { JobSchedulerJson, Queue } from "bullmq"
import { Effect } from "effect"
import { ActionFailed, type NativeSchedule, type ScheduleAction, type Scheduler } from "../../runtime/Engine.ts"
import { read, refuse, write } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"
import { failWhenDisconnected } from "./FailWhenDisconnected.ts"
import { argumentsOf } from "./JobData.ts"
import { taskIdOfJob } from "./JobEvents.ts"
import { getQueue } from "./Queues.ts"
import { parseTaskId, taskIdOf } from "./TaskId.ts"

export const schedulerOf = (context: EngineContext): Scheduler => ({
  name: "bullmq-scheduler",
  list: Effect.suspend(() => {
    const queues = [...context.queues.values()]
    const listed = Effect.forEach(queues, (queue) => listSchedules(context, queue), { concurrency: "unbounded" })
    return Effect.map(failWhenDisconnected(context, listed), (schedules) => schedules.flat()).pipe(Effect.timeoutFail({
      duration: "5 seconds",
      onTimeout: () => new ActionFailed({ message: "Redis did not answer within 5 seconds" })
    }))
  }),
  actions: { trigger_now: triggerNow(context), delete: deleteSchedule(context) }
})

/** Maximum schedulers of a queue. All are read at once, because a part would not be a snapshot. */
const maxSchedules = 10_000

const listSchedules = Effect.fnUntraced(function*(context: EngineContext, queue: Queue) {
  const count = yield* read(() => queue.getJobSchedulersCount())
  if (count > maxSchedules) {
    return yield* refuse(`the queue ${queue.name} has ${count} job schedulers, more than ${maxSchedules}`)
  }
  const schedulers = yield* read(() => queue.getJobSchedulers(0, -1, true))
  const now = context.now()
  return schedulers.map((scheduler) => scheduleOf(queue.name, scheduler, now))
})

/**
 * BullMQ creates the next job when the one before it starts, and counts them. It does not store the last run. A
 * scheduler cannot be disabled; it ends by a limit or a date.
 */
const scheduleOf = (queue: string, scheduler: JobSchedulerJson, now: number): NativeSchedule => {
  const { endDate, every, iterationCount = 0, key, limit, name, next = 0, pattern, template, tz } = scheduler
  const isWaiting = next > now
  const hasEnded = !isWaiting &&
    ((limit !== undefined && iterationCount >= limit) || (endDate !== undefined && now > endDate))
  return {
    id: taskIdOf(queue, key),
    name: taskIdOf(queue, key),
    task_name: name,
    ...(every === undefined
      ? { kind: "cron", expression: pattern ?? "", timezone: tz ?? localTimeZone() }
      : { kind: "interval", expression: secondsText(every / 1000), timezone: "UTC" }),
    queue,
    ...argumentsOf(template?.data),
    is_enabled: !hasEnded,
    next_run_at: hasEnded ? null : next,
    last_run_at: null,
    total_runs: iterationCount - (isWaiting ? 1 : 0)
  }
}

/** Seconds as the agents' protocol writes them: `30.0`. */
const secondsText = (seconds: number): string => Number.isInteger(seconds) ? seconds.toFixed(1) : String(seconds)

/** A pattern without a time zone follows that of the worker's process: this one, or from outside an assumption. */
const localTimeZone = (): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return timeZone === "Etc/Unknown" ? "UTC" : timeZone
}

/** `<queue>:<id>`, like a task's id. */
const getScheduleRef = Effect.fnUntraced(function*(context: EngineContext, id: string) {
  const ref = parseTaskId(id)
  if (ref === undefined) {
    return yield* refuse(`${id} is not the id of a BullMQ schedule. The form is <queue>:<job scheduler's id>`)
  }
  return { queue: yield* getQueue(context.queues, ref.queue), key: ref.jobId }
})

const scheduleNotFound = (queue: Queue, key: string) =>
  refuse(`the queue ${queue.name} has no job scheduler ${key}; it may have been deleted`)

/** Adds one of the scheduler's jobs, in addition to its own. */
const triggerNow = (context: EngineContext): ScheduleAction =>
  Effect.fnUntraced(function*({ schedule_id }) {
    const { key, queue } = yield* getScheduleRef(context, schedule_id)
    const scheduler = yield* read(() => queue.getJobScheduler(key))
    if (scheduler === undefined) return yield* scheduleNotFound(queue, key)
    const { data, opts } = scheduler.template ?? {}
    const job = yield* write(() => queue.add(scheduler.name, data ?? {}, opts))
    return { task_id: taskIdOfJob(job), task_name: scheduler.name }
  })

/** Also deletes the job that waits for its time. */
const deleteSchedule = (context: EngineContext): ScheduleAction =>
  Effect.fnUntraced(function*({ schedule_id }) {
    const { key, queue } = yield* getScheduleRef(context, schedule_id)
    return (yield* write(() => queue.removeJobScheduler(key))) ? {} : yield* scheduleNotFound(queue, key)
  })
