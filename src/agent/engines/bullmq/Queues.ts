import type { Job, Queue } from "bullmq"
import { Effect } from "effect"
import type { ActionFailed } from "../../runtime/Engine.ts"
import { read, refuse } from "./Broker.ts"
import { parseTaskId } from "./TaskId.ts"

/** The agent's queues, by name. */
export type Queues = ReadonlyMap<string, Queue>

/** The queue of this name; without a name the agent's only one. */
export const getQueue = (queues: Queues, name: string | undefined): Effect.Effect<Queue, ActionFailed> => {
  const names = [...queues.keys()].join(", ")
  if (name === undefined) {
    const [only, another] = queues.values()
    const isOnly = only !== undefined && another === undefined
    return isOnly ? Effect.succeed(only) : refuse(`name the queue, one of: ${names}`)
  }
  const queue = queues.get(name)
  return queue === undefined ? refuse(`the agent has no queue ${name}, only: ${names}`) : Effect.succeed(queue)
}

/** The job of a task id, or null where BullMQ no longer has it. */
export const findJob = (
  queues: Queues,
  taskId: string
): Effect.Effect<{ readonly queue: Queue; readonly jobId: string; readonly job: Job | null }, ActionFailed> =>
  Effect.gen(function*() {
    const ref = parseTaskId(taskId)
    if (ref === undefined) {
      return yield* refuse(`${taskId} is not the id of a BullMQ task. The form is <queue>:<job id>`)
    }
    const queue = yield* getQueue(queues, ref.queue)
    const job = yield* read(() => queue.getJob(ref.jobId))
    return { queue, jobId: ref.jobId, job: job ?? null }
  })
