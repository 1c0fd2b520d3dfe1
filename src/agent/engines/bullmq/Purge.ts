/** Removes the waiting jobs of a queue. */
import type { JobType, Queue } from "bullmq"
import { Effect } from "effect"
import type { ActionFailed, Actions } from "../../runtime/Engine.ts"
import { type CleanedState, clientOf, pausedStatesOf } from "./Backend.ts"
import { read, write } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"
import { getQueue } from "./Queues.ts"
import { taskIdOf } from "./TaskId.ts"

/** The states of jobs that a queue's depth counts, and that a purge removes. */
const WAITING = ["waiting", "prioritized", "delayed"] as const

export const depthOf = (queue: Queue): Effect.Effect<number, ActionFailed> =>
  read(() => queue.getJobCountByTypes(...WAITING))

/** Jobs removed in one call, which blocks Redis. */
const batchSize = 1000
/** Jobs that a purge reports one by one. More could push other events out of the agent's buffer. */
const maxReported = 10_000

/**
 * Removes waiting jobs, delayed ones too, as many as there were when the depth was confirmed. Running jobs continue,
 * also those that began in between, and so does the next job of each scheduler.
 */
export const purgeQueue = (context: EngineContext): NonNullable<Actions["purge_queue"]> =>
  Effect.fnUntraced(function*({ confirm, force, queue: name }) {
    const queue = yield* getQueue(context.queues, name)
    const depth = yield* depthOf(queue)
    yield* confirm(depth)
    const schedulers = yield* read(() => queue.getJobSchedulersCount())
    let purged = 0
    for (const state of [...WAITING, ...pausedStatesOf(queue)]) {
      while (purged < depth) {
        // schedulers' jobs stay, so more than their number are read
        const limit = Math.min(batchSize + schedulers, depth - purged)
        const names = purged < maxReported ? yield* namesOf(queue, state, limit) : new Map<string, string>()
        // BullMQ compares with the job's own time, which may be any
        const removed = yield* write(() => queue.clean(-Infinity, limit, state))
        if (removed.length === 0) break
        for (const id of removed.slice(0, Math.max(maxReported - purged, 0))) {
          reportRevoked(context, queue, id, names.get(id))
        }
        purged += removed.length
      }
    }
    return { queue: name, depth_before: depth, purged, force }
  }, Effect.uninterruptible) // after its timeout the removal continues, so that every removed job is reported

/** The first jobs, which `clean` removes, unless workers take some of them before. */
const namesOf = (queue: Queue, state: CleanedState, limit: number) =>
  read(async () => {
    // the cast: 5 has the state of its list of paused jobs, which the types of 6 leave out
    const ids = await queue.getRanges([state as JobType], 0, limit - 1, true)
    const client = await clientOf(queue)
    const names = await Promise.all(ids.map((id) => client.hget(queue.toKey(id), "name")))
    return new Map(ids.map((id, index) => [id, names[index] ?? undefined]))
  })

const reportRevoked = (context: EngineContext, queue: Queue, id: string, task_name: string | undefined): void => {
  const data = { task_name, queue: queue.name, worker: null, reason: "the queue was purged" }
  context.report({ kind: "task.revoked", taskId: taskIdOf(queue.name, id), occurredAt: context.now(), data })
}
