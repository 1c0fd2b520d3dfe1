/** BullMQ's job schedulers: the schedules that its queues have of their own. */
import type { JobSchedulerJson, Queue } from "bullmq"
import { Effect } from "effect"
import { ActionFailed, type NativeSchedule, type ScheduleAction, type Scheduler } from "../../runtime/Engine.ts"
import { read, refuse, write } from "./Broker.ts"
import { argumentsOf } from "./Data.ts"
import { taskIdOfJob } from "./JobEvents.ts"
import { queueNamed } from "./Queues.ts"
import type { Site } from "./Site.ts"
import { parseTaskId, taskIdOf } from "./TaskId.ts"
import { whileUp } from "./WhileUp.ts"

export const schedulerOf = (site: Site): Scheduler => ({
  name: "bullmq-scheduler",
  list: Effect.suspend(() => {
    const queues = [...site.queues.values()]
    const listed = Effect.forEach(queues, (queue) => schedulesOf(site, queue), { concurrency: "unbounded" })
    return Effect.map(whileUp(site, listed), (schedules) => schedules.flat()).pipe(Effect.timeoutFail({
      duration: "5 seconds",
      onTimeout: () => new ActionFailed({ message: "Redis did not answer within 5 seconds" })
    }))
  }),
  actions: { trigger_now: triggerNow(site), delete: remove(site) }
})

/** What a queue may have of them: all are read at once, since a part of them would be no snapshot. */
const mostSchedules = 10_000

const schedulesOf = Effect.fnUntraced(function*(site: Site, queue: Queue) {
  const count = yield* read(() => queue.getJobSchedulersCount())
  if (count > mostSchedules) {
    return yield* refuse(`the queue ${queue.name} has ${count} job schedulers, more than ${mostSchedules}`)
  }
  const schedulers = yield* read(() => queue.getJobSchedulers(0, -1, true))
  const now = site.now()
  return schedulers.map((scheduler) => scheduleOf(queue.name, scheduler, now))
})

/**
 * BullMQ makes the next job when the one before it starts, and counts those that it made. When one last ran it does not
 * keep; it cannot be turned off, but comes to an end by a limit or a date.
 */
const scheduleOf = (queue: string, scheduler: JobSchedulerJson, now: number): NativeSchedule => {
  const { endDate, every, iterationCount = 0, key, limit, name, next = 0, pattern, template, tz } = scheduler
  const waits = next > now
  const ended = !waits && ((limit !== undefined && iterationCount >= limit) || (endDate !== undefined && now > endDate))
  return {
    id: taskIdOf(queue, key),
    name: taskIdOf(queue, key),
    task_name: name,
    ...(every === undefined
      ? { kind: "cron", expression: pattern ?? "", timezone: tz ?? ownZone() }
      : { kind: "interval", expression: secondsText(every / 1000), timezone: "UTC" }),
    queue,
    ...argumentsOf(template?.data),
    is_enabled: !ended,
    next_run_at: ended ? null : next,
    last_run_at: null,
    total_runs: iterationCount - (waits ? 1 : 0)
  }
}

/** As the agents' protocol writes an interval: `30.0`. */
const secondsText = (seconds: number): string => Number.isInteger(seconds) ? seconds.toFixed(1) : String(seconds)

/** A pattern without a time zone goes by that of the worker's process: this one, or from outside the best guess. */
const ownZone = (): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return timeZone === "Etc/Unknown" ? "UTC" : timeZone
}

/** `<queue>:<id>`, as a task's id is made. */
const refOf = Effect.fnUntraced(function*(site: Site, id: string) {
  const ref = parseTaskId(id)
  if (ref === undefined) {
    return yield* refuse(`${id} is no id of a BullMQ schedule, which is <queue>:<job scheduler's id>`)
  }
  return { queue: yield* queueNamed(site.queues, ref.queue), key: ref.jobId }
})

const none = (queue: Queue, key: string) => refuse(`the queue ${queue.name} has no job scheduler ${key}, or no more`)

/** A job as the scheduler makes them, beside those that it makes. */
const triggerNow = (site: Site): ScheduleAction =>
  Effect.fnUntraced(function*({ schedule_id }) {
    const { key, queue } = yield* refOf(site, schedule_id)
    const scheduler = yield* read(() => queue.getJobScheduler(key))
    if (scheduler === undefined) return yield* none(queue, key)
    const { data, opts } = scheduler.template ?? {}
    const job = yield* write(() => queue.add(scheduler.name, data ?? {}, opts))
    return { task_id: taskIdOfJob(job), task_name: scheduler.name }
  })

/** With it goes the job that waits for its time. */
const remove = (site: Site): ScheduleAction =>
  Effect.fnUntraced(function*({ schedule_id }) {
    const { key, queue } = yield* refOf(site, schedule_id)
    return (yield* write(() => queue.removeJobScheduler(key))) ? {} : yield* none(queue, key)
  })
