import { Effect } from "effect"
import { ActionFailed } from "../../runtime/Engine.ts"
import type { EffectQueue } from "./Queue.ts"

/** Queues of any payload: the engine encodes and decodes through the queue's own schema. */
export type AnyQueue = Pick<
  EffectQueue<unknown, unknown>,
  | "name"
  | "ref"
  | "records"
  | "workers"
  | "listen"
  | "put"
  | "setPaused"
  | "reportReceived"
  | "reportRevoked"
  | "findValue"
  | "taskName"
>

export const actionFailed = (message: string) => new ActionFailed({ message })

/** The store's own failure, for the operator. */
export const mapStoreError = <A, E extends { readonly message: string; readonly cause?: unknown }, R>(
  self: Effect.Effect<A, E, R>
) =>
  Effect.mapError(
    self,
    ({ cause, message }) =>
      actionFailed(`The queue's store failed: ${cause instanceof Error ? cause.message : message}`)
  )

/** PersistedQueue has no delayed tasks. */
export const refuseDelay = ({ eta, eta_seconds }: { readonly eta?: number; readonly eta_seconds?: number }) =>
  eta === undefined && eta_seconds === undefined
    ? Effect.void
    : actionFailed("Effect's queues have no delayed tasks: leave the time out.")

/** The queues of this process, their workers and tasks by name. */
export const makeLocalQueues = (queues: ReadonlyArray<AnyQueue>) => {
  const getQueue = (wanted: string) => {
    const queue = queues.find((each) => each.name === wanted)
    return queue === undefined
      ? actionFailed(`This process has no queue ${wanted}; it has ${queues.map((each) => each.name).join(", ")}.`)
      : Effect.succeed(queue)
  }

  const getWorker = (wanted: string) => {
    for (const queue of queues) {
      for (const worker of queue.workers) if (worker.name === wanted) return Effect.succeed({ queue, worker })
    }
    return actionFailed(`No worker ${wanted} runs in this process.`)
  }

  const findTask = (taskId: string) =>
    mapStoreError(Effect.gen(function*() {
      for (const queue of queues) {
        const record = yield* queue.records.find(queue.ref, taskId)
        if (record !== undefined) return { queue, record }
      }
      return undefined
    }))

  const getTask = (taskId: string) =>
    Effect.flatMap(
      findTask(taskId),
      (found) =>
        found === undefined
          ? actionFailed(`The queues do not know the task ${taskId}, or no longer know it.`)
          : Effect.succeed(found)
    )

  return { all: queues, getQueue, getWorker, findTask, getTask } as const
}

export type LocalQueues = ReturnType<typeof makeLocalQueues>
