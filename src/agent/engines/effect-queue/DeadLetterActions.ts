import { Effect } from "effect"
import type { Actions, RetryRequest } from "../../runtime/Engine.ts"
import { readElement } from "./Element.ts"
import { actionFailed, type AnyQueue, type LocalQueues, mapStoreError, refuseDelay } from "./LocalQueues.ts"
import type { ElementRecord } from "./Records.ts"

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

/** Lists dead letters, and puts one back into its queue. */
export const makeDeadLetterActions = ({ all: queues, getQueue, getTask }: LocalQueues) => {
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

  return {
    requeue_dead_letter: requeue,
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
  } satisfies Actions
}
