import { Effect } from "effect"
import type { Actions } from "../../runtime/Engine.ts"
import { actionFailed, type LocalQueues } from "./LocalQueues.ts"
import type { Interval, Worker } from "./Worker.ts"

const intervals: { readonly [unit: string]: Interval } = { s: "1 second", m: "1 minute", h: "1 hour" }

/** Changes what the workers of this process take: their slots, whether they consume, and their rates. */
export const makeWorkerActions = ({ all: queues, getWorker }: LocalQueues) => {
  const setConsuming =
    (consume: boolean) => ({ queue, worker_name }: { readonly worker_name: string; readonly queue: string }) =>
      Effect.flatMap(getWorker(worker_name), ({ queue: own, worker }) => {
        if (own.name !== queue) {
          return actionFailed(
            `The worker ${worker_name} consumes only the queue ${own.name} and cannot consume ${queue}.`
          )
        }
        worker.setConsuming(consume)
        return Effect.succeed({ worker: worker_name, queue })
      })

  return {
    pool_resize: ({ delta, worker_name }) =>
      Effect.flatMap(getWorker(worker_name), ({ worker }) => {
        const concurrency = worker.concurrency + delta
        if (concurrency < 1) {
          return actionFailed(
            `The worker ${worker_name} has ${worker.concurrency} slots, and one must stay. To stop it taking tasks, cancel its consumer.`
          )
        }
        worker.resize(concurrency)
        return Effect.succeed({ worker: worker_name, delta, concurrency })
      }),
    add_consumer: setConsuming(true),
    cancel_consumer: setConsuming(false),
    rate_limit: ({ rate, task_name, worker_name }) =>
      Effect.gen(function*() {
        const [limit, unit] = rate.split("/")
        const all = queues.flatMap((queue) => [...queue.workers])
        const workers: ReadonlyArray<Worker> = worker_name === undefined
          ? all
          : [(yield* getWorker(worker_name)).worker]
        if (workers.length === 0) {
          return yield* actionFailed("This process runs no worker and cannot list workers of other processes.")
        }
        for (const worker of workers) {
          yield* worker.setRateLimit(task_name, Number(limit), intervals[unit ?? "s"] ?? "1 second")
        }
        // workers of other processes have their own limits and are not asked
        return {
          task_name,
          rate,
          worker: worker_name ?? null,
          limited: workers.map(({ name }) => name)
        }
      })
  } satisfies Actions
}
