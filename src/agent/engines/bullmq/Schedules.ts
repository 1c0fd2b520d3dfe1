/** BullMQ's job schedulers, as schedules of the engine. */
import type { Queue, RepeatOptions } from "bullmq"
import { Effect } from "effect"
import { findZone } from "../../../domain/kernel/Zone.ts"
import {
  ActionFailed,
  type NativeSchedule,
  type NewSchedule,
  type ScheduleDefinition,
  type Scheduler
} from "../../runtime/Engine.ts"
import { read, refuse, write } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"
import { failWhenDisconnected } from "./FailWhenDisconnected.ts"
import { argumentsOf, asJson, dataOf } from "./JobData.ts"
import { addOnce } from "./QueueActions.ts"
import { getQueue } from "./Queues.ts"
import { isRepeatableJob, type NextJob, readSchedulers, type SchedulerRecord } from "./SchedulerRecords.ts"
import { parseTaskId, taskIdOf } from "./TaskId.ts"

type ScheduleActions = Scheduler["actions"]

/** Removing and remembering a scheduler would be no disabling: the application's next upsert starts it again. */
const CANNOT_DISABLE =
  "BullMQ cannot disable a job scheduler; delete it, or pause its queue, which holds all of its jobs"

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
  actions: {
    trigger_now: triggerNow(context),
    delete: deleteSchedule(context),
    create: createSchedule(context),
    update: updateSchedule(context)
  },
  unsupported: { enable: CANNOT_DISABLE, disable: CANNOT_DISABLE }
})

const listSchedules = Effect.fnUntraced(function*(context: EngineContext, queue: Queue) {
  const records = yield* readSchedulers(queue)
  const now = context.now()
  return records.map((record) => scheduleOf(queue.name, record, now))
})

/**
 * BullMQ creates the next job when the one before it begins to run, and counts it then. So while no worker takes a job,
 * `next` stays in the past and no further job is created; the ticks until then never become jobs. A scheduler cannot be
 * disabled; it ends by a limit or a date, with its last job.
 */
const scheduleOf = (queue: string, { job, scheduler }: SchedulerRecord, now: number): NativeSchedule => {
  const { endDate, every, key, limit, name, next = 0, offset, pattern, startDate, template, tz } = scheduler
  const iterationCount = scheduler.iterationCount ?? job?.number ?? 1
  const hasBegun = job === null ? next <= now : job.startedAt !== null
  const hasEnded = hasBegun &&
    ((limit !== undefined && (job?.number ?? iterationCount) >= limit) ||
      (endDate !== undefined && now > endDate))
  return {
    id: taskIdOf(queue, key),
    name: taskIdOf(queue, key),
    task_name: name,
    ...(every === undefined
      ? { kind: "cron", expression: pattern ?? "", timezone: tz ?? localTimeZone() }
      : { kind: "interval", expression: secondsText(every / 1000), timezone: "UTC" }),
    queue,
    ...argumentsOf(isRepeatableJob(scheduler) ? job?.data : template?.data),
    is_enabled: !hasEnded,
    next_run_at: hasEnded ? null : next,
    last_run_at: lastRunOf(job),
    total_runs: iterationCount - (hasBegun ? 0 : 1),
    settings: { limit, startDate, endDate, offset, options: asJson(template?.opts) }
  }
}

/** A job that was created by the start of the one before it holds the time of that start. One that an upsert created does not. */
const lastRunOf = (job: NextJob | null): number | null =>
  job === null ? null : job.startedAt ?? (job.number > 1 ? job.createdAt : null)

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

const getScheduler = Effect.fnUntraced(function*(context: EngineContext, id: string) {
  const { key, queue } = yield* getScheduleRef(context, id)
  const scheduler = yield* read(() => queue.getJobScheduler(key))
  if (scheduler === undefined) return yield* scheduleNotFound(queue, key)
  return isRepeatableJob(scheduler) ? yield* refuse(REPEATABLE_JOB) : { key, queue, scheduler }
})

const REPEATABLE_JOB =
  "the schedule is a repeatable job of the time before BullMQ's job schedulers, which an agent can " +
  "only list and delete: its application must make it a job scheduler"

const scheduleNotFound = (queue: Queue, key: string) =>
  refuse(`the queue ${queue.name} has no job scheduler ${key}; it may have been deleted`)

/** Adds one of the scheduler's jobs, in addition to its own. */
const triggerNow = (context: EngineContext): NonNullable<ScheduleActions["trigger_now"]> =>
  Effect.fnUntraced(function*({ schedule_id, submission_id }) {
    const { queue, scheduler } = yield* getScheduler(context, schedule_id)
    const { data, opts } = scheduler.template ?? {}
    const task_id = yield* addOnce(queue, scheduler.name, data ?? {}, opts ?? {}, submission_id)
    return { task_id, task_name: scheduler.name }
  })

/** Also deletes the job that waits for its time. */
const deleteSchedule = (context: EngineContext): NonNullable<ScheduleActions["delete"]> =>
  Effect.fnUntraced(function*({ schedule_id }) {
    const { key, queue } = yield* getScheduleRef(context, schedule_id)
    return (yield* write(() => queue.removeJobScheduler(key))) ? {} : yield* scheduleNotFound(queue, key)
  })

/** The name is the job scheduler's id, with or without `<queue>:` before it. */
const createSchedule = (context: EngineContext): NonNullable<ScheduleActions["create"]> =>
  Effect.fnUntraced(function*(definition: NewSchedule) {
    const queue = yield* getQueue(context.queues, definition.queue ?? undefined)
    const key = keyOfName(queue, definition.name)
    if (key === "") return yield* refuse("a job scheduler needs a name: its id in the queue")
    yield* refuseDisabled(definition)
    const repeat = yield* cadenceOf(definition)
    const data = yield* dataOf({ args: definition.args ?? [], kwargs: definition.kwargs ?? {} })
    if ((yield* read(() => queue.getJobScheduler(key))) !== undefined) {
      return yield* refuse(`the queue ${queue.name} has a job scheduler ${key} already`)
    }
    yield* upsert(queue, key, repeat, { name: definition.task_name, data })
    return { schedule_id: taskIdOf(queue.name, key) }
  })

/** What the definition does not have stays, also limits, dates and job options. */
const updateSchedule = (context: EngineContext): NonNullable<ScheduleActions["update"]> =>
  Effect.fnUntraced(function*({ definition, schedule_id }) {
    const { key, queue, scheduler } = yield* getScheduler(context, schedule_id)
    if (definition.name !== undefined && keyOfName(queue, definition.name) !== key) {
      return yield* refuse("BullMQ cannot rename a job scheduler: create another one and delete this one")
    }
    if (definition.queue !== undefined && definition.queue !== queue.name) {
      return yield* refuse("BullMQ cannot move a job scheduler to another queue: create one there and delete this one")
    }
    yield* refuseDisabled(definition)
    const { endDate, every, limit, name, offset, pattern, startDate, template, tz } = scheduler
    const current = every === undefined
      ? { kind: "cron" as const, expression: pattern ?? "", ...(tz === undefined ? {} : { timezone: tz }) }
      : { kind: "interval" as const, expression: secondsText(every / 1000) }
    const { expression, kind, timezone } = definition
    const cadence = yield* cadenceOf({
      ...(kind === undefined || kind === current.kind ? current : {}),
      ...(kind === undefined ? {} : { kind }),
      ...(expression === undefined ? {} : { expression }),
      ...(timezone === undefined ? {} : { timezone })
    })
    const data = definition.args === undefined && definition.kwargs === undefined
      ? template?.data
      : yield* dataOf({ ...argumentsOf(template?.data), ...argumentsIn(definition) }, template?.data)
    const limits = {
      ...(limit === undefined ? {} : { limit }),
      ...(startDate === undefined ? {} : { startDate }),
      ...(endDate === undefined ? {} : { endDate }),
      ...(offset === undefined || cadence.every !== every ? {} : { offset })
    }
    const options = template?.opts === undefined ? {} : { opts: template.opts }
    yield* upsert(queue, key, { ...cadence, ...limits }, { name: definition.task_name ?? name, data, ...options })
    return {}
  })

/** BullMQ returns no job, and does nothing, where the pattern has no next time. */
const upsert = Effect.fnUntraced(function*(queue: Queue, ...args: Parameters<Queue["upsertJobScheduler"]>) {
  const job: unknown = yield* write(() => queue.upsertJobScheduler(...args))
  if (job === undefined) {
    return yield* refuse(`BullMQ finds no next time of ${args[1].pattern}: check the pattern and the time zone`)
  }
})

const argumentsIn = ({ args, kwargs }: Partial<ScheduleDefinition>) => ({
  ...(args === undefined ? {} : { args }),
  ...(kwargs === undefined ? {} : { kwargs })
})

const keyOfName = (queue: Queue, name: string): string =>
  name.startsWith(`${queue.name}:`) ? name.slice(queue.name.length + 1) : name

const refuseDisabled = ({ is_enabled }: Partial<ScheduleDefinition>) =>
  is_enabled === false ? refuse(CANNOT_DISABLE) : Effect.void

/** BullMQ reads the pattern itself and refuses an invalid one; of an invalid time zone it does not say so. */
const cadenceOf = (
  { expression, kind, timezone }: Partial<Pick<ScheduleDefinition, "kind" | "expression" | "timezone">>
): Effect.Effect<Pick<RepeatOptions, "every" | "pattern" | "tz">, ActionFailed> => {
  if (expression === undefined) return refuse(`a schedule of kind ${kind} needs its expression`)
  if (kind === "cron") {
    if (timezone !== undefined && findZone(timezone) === null) return refuse(`${timezone} is not a known time zone`)
    return Effect.succeed({ pattern: expression, ...(timezone === undefined ? {} : { tz: timezone }) })
  }
  if (kind !== "interval") return refuse(`BullMQ has schedules of the kinds cron and interval, not ${kind}`)
  const every = /^\d{1,10}(\.\d+)?$/.test(expression) ? Math.round(Number(expression) * 1000) : 0
  return every >= 1 ? Effect.succeed({ every }) : refuse(`${expression} is not a number of seconds, such as 30 or 0.5`)
}
