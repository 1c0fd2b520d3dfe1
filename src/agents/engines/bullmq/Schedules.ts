/** BullMQ's job schedulers: the schedules that its queues have of their own. */
import type { JobSchedulerJson, Queue } from "bullmq"
import { Effect } from "effect"
import { ActionFailed, type NativeSchedule, type ScheduleAction, type Scheduler } from "../../runtime/Engine.ts"
import { read, refuse, write } from "./Broker.ts"
import { argumentsOf } from "./JobData.ts"
import { taskIdOfJob } from "./JobEvents.ts"
import { getQueue } from "./Queues.ts"
import type { EngineContext } from "./EngineContext.ts"
import { parseTaskId, taskIdOf } from "./TaskId.ts"
import { failWhenDisconnected } from "./FailWhenDisconnected.ts"

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

/** What a queue may have of them: all are read at once, since a part of them would be no snapshot. */
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
 * BullMQ makes the next job when the one before it starts, and counts those that it made. When one last ran it does not
 * keep; it cannot be turned off, but comes to an end by a limit or a date.
 */
const scheduleOf = (queue: string, scheduler: JobSchedulerJson, now: number): NativeSchedule => {
  const { endDate, every, iterationCount = 0, key, limit, name, next = 0, pattern, template, tz } = scheduler
  const isWaiting = next > now
  const hasEnded = !isWaiting && ((limit !== undefined && iterationCount >= limit) || (endDate !== undefined && now > endDate))
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

/** As the agents' protocol writes an interval: `30.0`. */
const secondsText = (seconds: number): string => Number.isInteger(seconds) ? seconds.toFixed(1) : String(seconds)

/** A pattern without a time zone goes by that of the worker's process: this one, or from outside the best guess. */
const localTimeZone = (): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return timeZone === "Etc/Unknown" ? "UTC" : timeZone
}

/** `<queue>:<id>`, as a task's id is made. */
const getScheduleRef = Effect.fnUntraced(function*(context: EngineContext, id: string) {
  const ref = parseTaskId(id)
  if (ref === undefined) {
    return yield* refuse(`${id} is no id of a BullMQ schedule, which is <queue>:<job scheduler's id>`)
  }
  return { queue: yield* getQueue(context.queues, ref.queue), key: ref.jobId }
})

const scheduleNotFound = (queue: Queue, key: string) => refuse(`the queue ${queue.name} has no job scheduler ${key}, or no more`)

/** A job as the scheduler makes them, beside those that it makes. */
const triggerNow = (context: EngineContext): ScheduleAction =>
  Effect.fnUntraced(function*({ schedule_id }) {
    const { key, queue } = yield* getScheduleRef(context, schedule_id)
    const scheduler = yield* read(() => queue.getJobScheduler(key))
    if (scheduler === undefined) return yield* scheduleNotFound(queue, key)
    const { data, opts } = scheduler.template ?? {}
    const job = yield* write(() => queue.add(scheduler.name, data ?? {}, opts))
    return { task_id: taskIdOfJob(job), task_name: scheduler.name }
  })

/** With it goes the job that waits for its time. */
const deleteSchedule = (context: EngineContext): ScheduleAction =>
  Effect.fnUntraced(function*({ schedule_id }) {
    const { key, queue } = yield* getScheduleRef(context, schedule_id)
    return (yield* write(() => queue.removeJobScheduler(key))) ? {} : yield* scheduleNotFound(queue, key)
  })
