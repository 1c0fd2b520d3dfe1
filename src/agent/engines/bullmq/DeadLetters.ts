/** Dead letters: the failed jobs of each queue. */
import type { Job, Queue } from "bullmq"
import { Effect } from "effect"
import type { Actions, DeadLetter } from "../../runtime/Engine.ts"
import { read } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"
import { taskIdOfJob } from "./JobEvents.ts"
import { getQueue } from "./Queues.ts"

/** Queue after queue, the latest failure first. The cursor is `<queue>:<number of jobs shown>`. */
export const listDeadLetters = (context: EngineContext): NonNullable<Actions["list_dead_letters"]> =>
  Effect.fnUntraced(function*({ cursor, limit, queue: name }) {
    const queues = name === null ? [...context.queues.values()] : [yield* getQueue(context.queues, name)]
    const counts = yield* Effect.forEach(queues, (queue) => read(() => queue.getFailedCount()))
    const [from, offset] = positionOf(cursor)
    const first = from === undefined ? 0 : queues.findIndex((queue) => queue.name === from)
    const entries: Array<DeadLetter> = []
    let next: string | null = null
    for (let index = Math.max(first, 0); index < queues.length && next === null; index++) {
      const queue = queues[index]!
      const start = index === first ? offset : 0
      const remaining = limit - entries.length
      const jobs = remaining === 0 ? [] : yield* read(() => queue.getFailed(start, start + remaining - 1))
      entries.push(...jobs.flatMap((job) => entryOf(queue, job)))
      const nextOffset = start + jobs.length
      if (nextOffset < (counts[index] ?? 0) && jobs.length === remaining) next = `${queue.name}:${nextOffset}`
    }
    return { entries, next_cursor: next, total: counts.reduce((sum, count) => sum + count, 0) }
  })

const positionOf = (cursor: string | null): readonly [queue: string | undefined, shown: number] => {
  const separator = cursor?.lastIndexOf(":") ?? -1
  if (cursor === null || separator < 1) return [undefined, 0]
  return [cursor.slice(0, separator), Math.max(Number.parseInt(cursor.slice(separator + 1)) || 0, 0)]
}

const maxExcerptLength = 512

/** Leaves out jobs that were removed during the read. */
const entryOf = (queue: Queue, job: Job | undefined): ReadonlyArray<DeadLetter> =>
  job === undefined ? [] : [{
    task_id: taskIdOfJob(job),
    task_name: job.name,
    queue: queue.name,
    failed_at: job.finishedOn ?? null,
    error_excerpt: (job.failedReason ?? "").slice(0, maxExcerptLength),
    attempts: job.attemptsMade
  }]
