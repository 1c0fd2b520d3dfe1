/** Emptying a queue of what waits in it. */
import type { Queue } from "bullmq"
import { Effect } from "effect"
import type { ActionFailed, Actions } from "../../runtime/Engine.ts"
import { read, write } from "./Broker.ts"
import { getQueue } from "./Queues.ts"
import type { EngineContext } from "./EngineContext.ts"
import { taskIdOf } from "./TaskId.ts"

/** The states of jobs that a queue's depth counts, and that a purge takes. */
const WAITING = ["waiting", "prioritized", "delayed"] as const

export const depthOf = (queue: Queue): Effect.Effect<number, ActionFailed> =>
  read(() => queue.getJobCountByTypes(...WAITING))

/** Jobs that are removed at once: Redis does nothing else meanwhile. */
const batchSize = 1000
/** Jobs that a purge tells about one by one, so that they push nothing else out of the agent's buffer. */
const maxReported = 10_000

/**
 * Removes what waits, delayed ones too, as many as there were when the depth was confirmed. What runs goes on, also what
 * began meanwhile, and so does the next job of each scheduler.
 */
export const purgeQueue = (context: EngineContext): NonNullable<Actions["purge_queue"]> =>
  Effect.fnUntraced(function*({ confirm, force, queue: name }) {
    const queue = yield* getQueue(context.queues, name)
    const depth = yield* depthOf(queue)
    yield* confirm(depth)
    const schedulers = yield* read(() => queue.getJobSchedulersCount())
    let purged = 0
    for (const state of WAITING) {
      while (purged < depth) {
        // schedulers' jobs stay: more than those, so that others are among them
        const limit = Math.min(batchSize + schedulers, depth - purged)
        const names = purged < maxReported ? yield* namesOf(queue, state, limit) : new Map<string, string>()
        // BullMQ compares with the time that the job has, which may be any
        const removed = yield* write(() => queue.clean(-Infinity, limit, state))
        if (removed.length === 0) break
        for (const id of removed.slice(0, Math.max(maxReported - purged, 0))) reportRevoked(context, queue, id, names.get(id))
        purged += removed.length
      }
    }
    return { queue: name, depth_before: depth, purged, force }
  }, Effect.uninterruptible) // when its time is up it goes on by itself, so that all that is removed is told

/** Of those that come first: the ones that `clean` removes, unless workers took some of them before it. */
const namesOf = (queue: Queue, state: (typeof WAITING)[number], limit: number) =>
  read(async () => {
    const ids = await queue.getRanges([state], 0, limit - 1, true)
    const client = await queue.getBackend().client
    const names = await Promise.all(ids.map((id) => client.hget(queue.toKey(id), "name")))
    return new Map(ids.map((id, at) => [id, names[at] ?? undefined]))
  })

const reportRevoked = (context: EngineContext, queue: Queue, id: string, task_name: string | undefined): void => {
  const data = { task_name, queue: queue.name, worker: null, reason: "the queue was purged" }
  context.report({ kind: "task.revoked", taskId: taskIdOf(queue.name, id), occurredAt: context.now(), data })
}
