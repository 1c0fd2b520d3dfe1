import { Option, Schema } from "effect"
import { TaskKey } from "../../kernel/TaskKey.ts"

/** A retried task, and the task that the retry created. */
export interface TaskRetry {
  readonly task_id: string
  readonly new_task_id: string
}

/** Maximum tasks per bulk retry (the agents' protocol, section 5.2). */
const maxRetries = 10_000

const isTaskId = Schema.is(TaskKey.fields.task_id)

const Single = Schema.Struct({ new_task_id: Schema.optional(Schema.Unknown), task_id: Schema.optional(Schema.Unknown) })
const Bulk = Schema.Struct({ new_task_ids: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })

const decodeSingle = Schema.decodeUnknownOption(Schema.parseJson(Single))
const decodeBulk = Schema.decodeUnknownOption(Schema.parseJson(Bulk))

const parsePairs = (
  action: string,
  target: string | null,
  result: string
): ReadonlyArray<readonly [string | null, unknown]> => {
  if (action === "retry_task") {
    return Option.match(decodeSingle(result), {
      onNone: () => [],
      onSome: ({ new_task_id, task_id }) => [[target, new_task_id ?? task_id]]
    })
  }
  if (action !== "bulk_retry") return []
  return Option.match(decodeBulk(result), {
    onNone: () => [],
    onSome: ({ new_task_ids }) => Object.entries(new_task_ids)
  })
}

/** The task that a completed command submitted for a schedule, from the JSON text of its result; null: none. */
export const parseFiredTask = (action: string, result: string | null): string | null =>
  action.startsWith("schedule.") && result !== null
    ? Option.match(decodeSingle(result), {
      onNone: () => null,
      onSome: ({ task_id }) => (isTaskId(task_id) ? task_id : null)
    })
    : null

/**
 * The tasks that a completed command created by retries, from the JSON text of its result. A task that runs again under
 * its own id (BullMQ, a job that RQ requeues) creates none; RQ's bulk retry returns a list of these ids.
 */
export const parseTaskRetries = (action: string, target: string | null, result: string): ReadonlyArray<TaskRetry> =>
  parsePairs(action, target, result).slice(0, maxRetries).flatMap(([task_id, new_task_id]) =>
    isTaskId(task_id) && isTaskId(new_task_id) && task_id !== new_task_id ? [{ task_id, new_task_id }] : []
  )
