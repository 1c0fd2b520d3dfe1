import { Effect } from "effect"
import type { Actions, RetryRequest, TaskCall } from "../../runtime/Engine.ts"
import { makeElement, readElement } from "./Element.ts"
import { actionFailed, type AnyQueue, type LocalQueues, mapStoreError, refuseDelay } from "./LocalQueues.ts"

/** Submits, retries and cancels tasks, pauses a queue and empties it. */
export const makeTaskActions = ({ all: queues, getQueue, getTask }: LocalQueues, engineName: string) => {
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
          engine: engineName,
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

  const setPaused = (isPaused: boolean) => ({ queue }: { readonly queue: string }) =>
    Effect.gen(function*() {
      yield* mapStoreError((yield* getQueue(queue)).setPaused(isPaused))
      return { queue, paused: isPaused }
    })

  return {
    submit_task: submit,
    retry_task: retry,
    cancel_task: cancel,
    pause_queue: setPaused(true),
    resume_queue: setPaused(false),
    purge_queue: ({ confirm, queue }) =>
      Effect.gen(function*() {
        const found = yield* getQueue(queue)
        yield* confirm(yield* mapStoreError(found.records.depth(found.ref)))
        const ids = yield* mapStoreError(found.records.purge(found.ref))
        for (const id of ids) found.reportRevoked(id, null)
        return { queue, purged: ids.length }
      })
  } satisfies Actions
}
