import { Effect, Either } from "effect"
import type { JsonInput, JsonValue } from "../../domain/kernel/CanonicalJson.ts"
import type { ActionFailed, ActionResult, Actions, RetryRequest } from "./Engine.ts"
import { BadCommand, isRecord, overridesOf, type Parameters } from "./Parameters.ts"

const HARD_CAP = 10_000
const DEFAULT_CAP = 1000
/** After this many timeouts in a row, the remaining tasks are skipped. */
const MAX_CONSECUTIVE_TIMEOUTS = 3

type CallEngine = <A>(call: () => Effect.Effect<A, ActionFailed>) => Effect.Effect<A, ActionFailed>

/**
 * Retries tasks by their ids, one after the other (agents' protocol, section 5.2). Success even when every one failed:
 * the result says which and why.
 */
export const bulkRetry = (
  retry: NonNullable<Actions["retry_task"]>,
  parameters: Parameters,
  call: CallEngine
): Effect.Effect<ActionResult, ActionFailed> => {
  const { filter } = parameters
  const ids = idsOf(filter.task_ids)
  const selectedIds = ids.slice(0, parameters.wholeNumber("max", DEFAULT_CAP, 1, HARD_CAP))
  const newIds: Record<string, JsonInput> = {}
  const failures: Record<string, string> = {}
  let succeeded = 0
  let timeouts = 0

  const retryOne = (task_id: string) =>
    Effect.map(Effect.either(call(() => retry(requestOf(task_id, filter)))), (result) => {
      if (Either.isRight(result)) {
        timeouts = 0
        succeeded++
        newIds[task_id] = result.right.new_task_id ?? result.right.task_id ?? task_id
      } else {
        timeouts = result.left.indeterminate === true ? timeouts + 1 : 0
        failures[task_id] = result.left.message.slice(0, 512)
      }
    })

  return Effect.gen(function*() {
    for (const id of selectedIds) if (timeouts < MAX_CONSECUTIVE_TIMEOUTS) yield* retryOne(id)
    const failed = Object.keys(failures).length
    return {
      requested: ids.length,
      succeeded,
      failed,
      skipped: selectedIds.length - succeeded - failed,
      circuit_broken: timeouts >= MAX_CONSECUTIVE_TIMEOUTS,
      capped: selectedIds.length < ids.length,
      hard_cap: HARD_CAP,
      new_task_ids: newIds,
      failures
    }
  })
}

const idsOf = (ids: JsonValue | undefined): ReadonlyArray<string> => {
  const texts = Array.isArray(ids) ? ids.filter((id) => typeof id === "string" && id !== "") : []
  if (texts.length === 0) {
    throw new BadCommand({ message: "A bulk retry needs the tasks' ids; an agent evaluates no other filter." })
  }
  return [...new Set(texts)]
}

const memberOf = (
  record: JsonValue | undefined,
  name: string
): JsonValue | undefined => (isRecord(record) ? record[name] : undefined)

const requestOf = (task_id: string, filter: Parameters["filter"]): RetryRequest => {
  const name = memberOf(filter.task_names, task_id)
  const priority = memberOf(filter.task_priorities, task_id)
  const overrides = memberOf(filter.overrides, task_id)
  return {
    task_id,
    ...(typeof name === "string" ? { task_name: name } : {}),
    ...(typeof priority === "string" || typeof priority === "number" ? { priority } : {}),
    ...overridesOf(memberOf(overrides, "args"), memberOf(overrides, "kwargs"))
  }
}
