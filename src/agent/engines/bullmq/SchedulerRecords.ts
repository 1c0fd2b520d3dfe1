/** What BullMQ stores of a queue's job schedulers. */
import type { JobSchedulerJson, Queue } from "bullmq"
import { Effect } from "effect"
import { clientOf } from "./Backend.ts"
import { read, refuse } from "./Broker.ts"

/** Maximum schedulers of a queue. All are read at once, because a part would not be a snapshot. */
const maxSchedules = 10_000

export const readSchedulers = Effect.fnUntraced(function*(queue: Queue) {
  const count = yield* read(() => queue.getJobSchedulersCount())
  if (count > maxSchedules) {
    return yield* refuse(`the queue ${queue.name} has ${count} job schedulers, more than ${maxSchedules}`)
  }
  // 5 returns undefined where a scheduler is deleted during the read, 6 leaves it out
  const listed: ReadonlyArray<JobSchedulerJson | undefined> = yield* read(() => queue.getJobSchedulers(0, -1, true))
  const schedulers = listed.filter((scheduler) => scheduler !== undefined)
  const jobs = yield* read(() => readNextJobs(queue, schedulers))
  return schedulers.map((scheduler, index): SchedulerRecord => ({
    scheduler: parseKey(scheduler),
    job: jobs[index] ?? null
  }))
})

/** The newest job of a scheduler, whose id names the time when it is due. */
export interface NextJob {
  /** When it was created, epoch milliseconds. */
  readonly createdAt: number
  /** When its run began, epoch milliseconds. */
  readonly startedAt: number | null
  /** Its number among the scheduler's jobs; an upsert begins again with 1. */
  readonly number: number
  readonly data: unknown
}

export interface SchedulerRecord {
  readonly scheduler: JobSchedulerJson
  /** Null where the job is gone: it ended and was removed. */
  readonly job: NextJob | null
}

/**
 * Whether it is a repeatable job of the time before job schedulers, whose data is only in its next job. BullMQ 5 lists
 * these too, and counts the jobs of a scheduler only; 6 refuses to read them.
 */
export const isRepeatableJob = ({ iterationCount }: JobSchedulerJson): boolean => iterationCount === undefined

/**
 * Of a repeatable job of BullMQ before 5 there is only the key: `<name>:<id>:<end>:<time zone>:<pattern or interval>`.
 * Versions of 5 read none, some or all of it.
 */
const parseKey = (scheduler: JobSchedulerJson): JobSchedulerJson => {
  const { key, next = 0, pattern } = scheduler
  const [, name = "", end = "", tz = "", cadence = ""] = /^([^:]*):[^:]*:(\d*):([^:]*):(.+)$/.exec(key) ?? []
  if (!isRepeatableJob(scheduler) || cadence === "" || (pattern ?? cadence) !== cadence) return scheduler
  return {
    key,
    name,
    next,
    ...(end === "" ? {} : { endDate: Number(end) }),
    ...(tz === "" ? {} : { tz }),
    ...(/^\d+$/.test(cadence) ? { every: Number(cadence) } : { pattern: cadence })
  }
}

/** Jobs that are read at once. Between them the application's own work runs. */
const jobsPerRead = 200

const readNextJobs = async (
  queue: Queue,
  schedulers: ReadonlyArray<JobSchedulerJson>
): Promise<ReadonlyArray<NextJob | null>> => {
  const client = await clientOf(queue)
  const readJob = async (scheduler: JobSchedulerJson): Promise<NextJob | null> => {
    const jobKey = queue.toKey(`repeat:${scheduler.key}:${scheduler.next}`)
    const fields = ["timestamp", "processedOn", "opts", ...(isRepeatableJob(scheduler) ? ["data"] : [])]
    const [created, started, options, data] = await client.hmget(jobKey, ...fields)
    if (typeof created !== "string") return null
    return {
      createdAt: Number(created),
      startedAt: typeof started === "string" ? Number(started) : null,
      number: typeof options === "string" ? numberOf(JSON.parse(options)) : 1,
      data: typeof data === "string" ? JSON.parse(data) : undefined
    }
  }
  const jobs: Array<NextJob | null> = []
  for (let start = 0; start < schedulers.length; start += jobsPerRead) {
    jobs.push(...await Promise.all(schedulers.slice(start, start + jobsPerRead).map(readJob)))
  }
  return jobs
}

/** BullMQ writes the number into the options of each of a scheduler's jobs. */
const numberOf = ({ repeat }: { readonly repeat?: { readonly count?: number } }): number => repeat?.count ?? 1
