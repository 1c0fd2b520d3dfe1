import { Effect } from "effect"
import { hostname } from "node:os"
import {
  ActionFailed,
  type Actions,
  type Engine,
  type ReconcileOutcome,
  type RetryRequest,
  type TaskCall
} from "../../runtime/Engine.ts"
import { makeElement, readElement } from "./Element.ts"
import type { EffectQueue } from "./Queue.ts"
import type { ElementRecord } from "./Records.ts"
import type { Interval, Worker } from "./Worker.ts"

/** Queues of any payload: the engine encodes and decodes through the queue's own schema. */
export type AnyQueue = Pick<
  EffectQueue<unknown, unknown>,
  | "name"
  | "ref"
  | "records"
  | "workers"
  | "listen"
  | "put"
  | "reportReceived"
  | "reportRevoked"
  | "findValue"
  | "taskName"
>

const actionFailed = (message: string) => new ActionFailed({ message })

/** The store's own failure, for the operator. */
const mapStoreError = <A, E extends { readonly message: string; readonly cause?: unknown }, R>(
  self: Effect.Effect<A, E, R>
) =>
  Effect.mapError(
    self,
    ({ cause, message }) =>
      actionFailed(`The queue's store failed: ${cause instanceof Error ? cause.message : message}`)
  )

const intervals: { readonly [unit: string]: Interval } = { s: "1 second", m: "1 minute", h: "1 hour" }
const states = {
  pending: "pending",
  started: "started",
  success: "success",
  failure: "failure",
  cancelled: "failure"
} as const

/** The queues of this process as an engine for the agent. All queues of one engine share one store. */
export const engine = (queues: ReadonlyArray<AnyQueue>, options: { readonly name?: string } = {}): Engine => {
  const name = options.name ?? "effect-queue"

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

  const submit = (call: TaskCall) =>
    Effect.gen(function*() {
      yield* refuseDelay(call)
      if (call.priority !== undefined) return yield* actionFailed("Effect's queues have no priorities.")
      const candidates = call.queue === undefined ? queues : [yield* getQueue(call.queue)]
      for (const queue of candidates) {
        const value = yield* queue.findValue(call.args, call.kwargs, call.task_name)
        if (value._tag === "None") continue
        return {
          task_id: yield* mapStoreError(
            queue.put(makeElement(value.value, { id: null, root: null }), call.submission_id)
          ),
          engine: name,
          queue: queue.name
        }
      }
      return yield* actionFailed(
        `No queue takes a task ${call.task_name} with these arguments: they do not fit its schema.`
      )
    })

  const retry = (request: RetryRequest) =>
    Effect.gen(function*() {
      yield* refuseDelay(request)
      const { queue, record } = yield* getTask(request.task_id)
      if (record.state === "pending" || record.state === "started") {
        return yield* actionFailed(`The task ${request.task_id} has not ended yet.`)
      }
      const element = readElement(record.element)
      const value = request.overrides === undefined ? element.value : yield* overrideValue(queue, request.overrides)
      const new_task_id = yield* mapStoreError(queue.put({ ...element, value }))
      return { new_task_id, task_id: request.task_id, queue: queue.name }
    })

  const overrideValue = (queue: AnyQueue, { args, kwargs }: NonNullable<RetryRequest["overrides"]>) =>
    Effect.flatMap(
      queue.findValue(args, kwargs, null),
      (value) =>
        value._tag === "None"
          ? actionFailed(`These arguments do not fit the schema of the queue ${queue.name}.`)
          : Effect.succeed(value.value)
    )

  const requeue = (request: RetryRequest) =>
    Effect.gen(function*() {
      yield* refuseDelay(request)
      const { queue, record } = yield* getTask(request.task_id)
      if (request.overrides !== undefined) {
        return yield* actionFailed("A dead letter goes back as it is; retry the task to change its arguments.")
      }
      if (record.state !== "failure" || !(yield* mapStoreError(queue.records.requeue(queue.ref, record.id)))) {
        return yield* actionFailed(`The task ${record.id} is not a dead letter.`)
      }
      const element = readElement(record.element)
      if (!queue.records.requeuesInPlace) {
        return { task_id: record.id, new_task_id: yield* mapStoreError(queue.put(element)), queue: queue.name }
      }
      queue.reportReceived(element, record.id)
      return { task_id: record.id, queue: queue.name }
    })

  const cancel = ({ task_id }: { readonly task_id: string }) =>
    Effect.gen(function*() {
      for (const queue of queues) {
        for (const worker of queue.workers) if (yield* worker.cancel(task_id)) return { task_id, terminated: true }
      }
      const { queue, record } = yield* getTask(task_id)
      if (yield* mapStoreError(queue.records.cancel(queue.ref, task_id))) {
        queue.reportRevoked(task_id, readElement(record.element))
        return { task_id, terminated: false }
      }
      return yield* actionFailed(
        record.state === "started"
          ? `The task ${task_id} runs in another process, which alone can cancel it.`
          : `The task ${task_id} is no longer waiting.`
      )
    })

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

  const actions: Actions = {
    submit_task: submit,
    retry_task: retry,
    requeue_dead_letter: requeue,
    cancel_task: cancel,
    purge_queue: ({ confirm, queue }) =>
      Effect.gen(function*() {
        const found = yield* getQueue(queue)
        yield* confirm(yield* mapStoreError(found.records.depth(found.ref)))
        const ids = yield* mapStoreError(found.records.purge(found.ref))
        for (const id of ids) found.reportRevoked(id, null)
        return { queue, purged: ids.length }
      }),
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
      }),
    list_dead_letters: (page) =>
      Effect.gen(function*() {
        const selected = page.queue === null ? queues : [yield* getQueue(page.queue)]
        // a cursor is `<queue> <the store's cursor>`; the queues' lists follow each other
        const [from, after] = page.cursor === null ? [undefined, null] : splitCursor(page.cursor)
        const firstIndex = Math.max(0, selected.findIndex((queue) => queue.name === from))
        const entries: Array<ReturnType<typeof deadLetterOf>> = []
        let next_cursor: string | null = null
        let total = 0
        for (const [index, queue] of selected.entries()) {
          const remaining = index < firstIndex ? 0 : page.limit - entries.length
          const dead = yield* mapStoreError(
            queue.records.listDead(queue.ref, Math.max(1, remaining), index === firstIndex ? after : null)
          )
          total += dead.total
          if (remaining > 0) entries.push(...dead.elements.map((record) => deadLetterOf(queue, record)))
          if (next_cursor !== null || index < firstIndex) continue
          if (remaining === 0 && dead.total > 0) next_cursor = `${queue.name} `
          else if (remaining > 0 && dead.next !== null) next_cursor = `${queue.name} ${dead.next}`
        }
        return { entries, next_cursor, total }
      })
  }

  return {
    name,
    start: (report) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => queues.map((queue) => queue.listen(report))),
        (stops) => Effect.sync(() => stops.forEach((stop) => stop()))
      )),
    actions,
    retriesByReference: true,
    inventory: mapStoreError(Effect.gen(function*() {
      const depths: Record<string, number> = {}
      for (const { name, records, ref } of queues) depths[name] = yield* records.depth(ref)
      return {
        brokerType: queues[0]?.records.brokerType ?? "memory",
        brokerConnected: true,
        queueDepths: depths,
        workers: queues.flatMap((queue) => [...queue.workers].map((worker) => inventoryOf(queue, worker)))
      }
    })),
    reconcile: (taskId) =>
      Effect.map(findTask(taskId), (found): ReconcileOutcome =>
        found === undefined
          ? { engine_state: "unknown", finished_at: null, exception: null }
          : {
            engine_state: states[found.record.state],
            finished_at: found.record.finishedAt,
            exception: found.record.state === "cancelled" ? "cancelled" : found.record.failure
          })
  }
}

/** PersistedQueue has no delayed tasks. */
const refuseDelay = ({ eta, eta_seconds }: { readonly eta?: number; readonly eta_seconds?: number }) =>
  eta === undefined && eta_seconds === undefined
    ? Effect.void
    : actionFailed("Effect's queues have no delayed tasks: leave the time out.")

const splitCursor = (cursor: string): readonly [queue: string, after: string | null] => {
  const separator = cursor.lastIndexOf(" ")
  const after = cursor.slice(separator + 1)
  return [cursor.slice(0, separator), after === "" ? null : after]
}

const deadLetterOf = (queue: AnyQueue, { attempts, element, failure, finishedAt, id }: ElementRecord) => ({
  task_id: id,
  task_name: queue.taskName(readElement(element)),
  queue: queue.name,
  failed_at: finishedAt,
  error_excerpt: failure ?? "",
  attempts
})

const inventoryOf = ({ name }: AnyQueue, worker: Worker) => ({
  name: worker.name,
  hostname: hostname(),
  pid: process.pid,
  concurrency: worker.concurrency,
  queues: worker.isConsuming ? [name] : [],
  activeTasks: worker.running.size,
  registered: []
})
