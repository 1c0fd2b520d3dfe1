/** Executes a command on its engine (agents' protocol, section 5). */
import { Effect } from "effect"
import { type KeyObject, timingSafeEqual } from "node:crypto"
import { makePurgeToken } from "../../domain/commands/PurgeToken.ts"
import type { JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import type { Redaction } from "../../domain/kernel/Redaction.ts"
import type { FrameOf } from "../../protocol/Frame.ts"
import { bulkRetry } from "./BulkRetry.ts"
import { ActionFailed, type ActionResult, type Actions, type Engine } from "./Engine.ts"
import { callEngine, failureOfDefect } from "./EngineCall.ts"
import { BadCommand, Parameters } from "./Parameters.ts"
import { performSchedule } from "./ScheduleCommands.ts"
import type { ScheduleStream } from "./ScheduleStream.ts"
import { wireTimeOf } from "./WireTime.ts"

/** Longer error messages are truncated (section 2.6). */
const MAX_ERROR_LENGTH = 8192

export interface DispatchContext {
  readonly engines: ReadonlyArray<Engine>
  /** Those of engines that have their own schedules. */
  readonly streams: ReadonlyArray<ScheduleStream>
  readonly key: KeyObject
  readonly purgeThreshold: number
  readonly redaction: Redaction
}

export type DispatchResult =
  | { readonly status: "success"; readonly result: ActionResult }
  | { readonly status: "failed"; readonly result: ActionResult | null; readonly error: string }

type Command = FrameOf<"command">["payload"]
type ActionEffect = Effect.Effect<ActionResult, ActionFailed>

/** A schedule of the brain is due: for the engine a task as any other (section 6.1). */
const FIRE_ACTION = "schedule.fire"

const filterActions = new Set(["bulk_retry", "requeue_dead_letter"])

/** Never fails: a failure of the engine is returned as the command's result. */
export const dispatch = (
  command: Command,
  { engines, key, purgeThreshold, redaction, streams }: DispatchContext
): Effect.Effect<DispatchResult> => {
  const effect = Effect.suspend(() => {
    const { action } = command
    const parameters = new Parameters(command.target, command.parameters)
    if (action.startsWith("schedule.") && action !== FIRE_ACTION) return performSchedule(action, parameters, streams)
    const engineName = parameters.engine(filterActions.has(action))
    const engine = engineName === null
      ? (engines.length === 1 ? engines[0] : undefined)
      : engines.find(({ name }) => name === engineName)
    if (engine === undefined) {
      const which = engineName === null ? "the command names none, and this agent has not exactly one" : engineName
      return new ActionFailed({ message: `no engine adapter registered for this command: ${which}` })
    }
    return perform(action, engine, parameters, makeConfirm(key, purgeThreshold))
      ?? new ActionFailed({ message: `adapter '${engine.name}' does not support action '${action.slice(0, 80)}'` })
  })
  return Effect.match(Effect.catchAllDefect(effect, failureOfDefect), {
    onSuccess: (result): DispatchResult => ({ status: "success", result }),
    onFailure: ({ indeterminate, message }): DispatchResult => ({
      status: "failed",
      result: indeterminate === true ? { indeterminate, operation: command.action } : null,
      error: redaction.text(message).slice(0, MAX_ERROR_LENGTH)
    })
  })
}

type Confirm = (
  queue: string,
  token: string | undefined,
  force: boolean
) => (depth: number) => Effect.Effect<void, ActionFailed>

/** Whether a queue of this depth may be emptied (section 5.3). */
const makeConfirm = (key: KeyObject, threshold: number): Confirm => (queue, token, force) => (depth) => {
  if (force) return Effect.void
  if (depth > threshold) {
    return new ActionFailed({
      message: `The queue ${queue} holds ${depth} tasks; more than ${threshold} are purged only with force.`
    })
  }
  if (token === undefined) {
    return new ActionFailed({ message: "A purge needs the confirm_token of the queue's depth, or force." })
  }
  const expected = Buffer.from(makePurgeToken(key, queue, depth))
  const givenBytes = Buffer.from(token)
  return givenBytes.length === expected.length && timingSafeEqual(givenBytes, expected)
    ? Effect.void
    : new ActionFailed({
      message:
        `The queue ${queue} now holds ${depth} tasks, not the number that was confirmed. Read the depth again and confirm it.`
    })
}

/** Undefined when the engine does not support the action. */
const perform = (
  action: string,
  engine: Engine,
  parameters: Parameters,
  confirm: Confirm
): ActionEffect | undefined => {
  const { actions } = engine
  switch (action) {
    case "submit_task":
      return callIfSupported(actions.submit_task, (submit) => submit(parameters.call("name")))
    case FIRE_ACTION:
      return callIfSupported(
        actions.submit_task,
        (submit) => submit({ ...parameters.call("task_name"), ...parameters.submissionOfFire() })
      )
    case "retry_task":
      return callIfSupported(actions.retry_task, (retry) => retry(parameters.retry()))
    case "requeue_dead_letter":
      return callIfSupported(actions.requeue_dead_letter, (requeue) => requeue(parameters.retry()))
    case "bulk_retry":
      return actions.retry_task === undefined ? undefined : bulkRetry(actions.retry_task, parameters, callEngine)
    case "cancel_task":
      return callIfSupported(
        actions.cancel_task,
        (cancel) => cancel({ task_id: parameters.text("task_id", "task_id", "id") })
      )
    case "purge_queue":
      return callIfSupported(actions.purge_queue, (purge) => {
        const queue = parameters.text("queue", "queue", "id")
        const force = parameters.flag("force")
        return purge({ queue, force, confirm: confirm(queue, parameters.optionalText("confirm_token"), force) })
      })
    case "pause_queue":
      return callIfSupported(actions.pause_queue, (pause) => pause({ queue: parameters.text("queue", "queue", "id") }))
    case "resume_queue":
      return callIfSupported(
        actions.resume_queue,
        (resume) => resume({ queue: parameters.text("queue", "queue", "id") })
      )
    case "restart_worker":
      return callIfSupported(actions.restart_worker, (restart) => restart({ worker_name: workerNameOf(parameters) }))
    case "pool_grow":
      return resizePool(actions, parameters, 1)
    case "pool_shrink":
      return resizePool(actions, parameters, -1)
    case "add_consumer":
      return callIfSupported(
        actions.add_consumer,
        (add) => add({ worker_name: workerNameOf(parameters), queue: parameters.text("queue", "queue") })
      )
    case "cancel_consumer":
      return callIfSupported(
        actions.cancel_consumer,
        (stop) => stop({ worker_name: workerNameOf(parameters), queue: parameters.text("queue", "queue") })
      )
    case "rate_limit":
      return callIfSupported(actions.rate_limit, (limit) => {
        const worker_name = parameters.optionalText("worker_name", "worker_name")
        return limit({
          task_name: parameters.text("task_name", "task_name"),
          rate: rateOf(parameters),
          ...(worker_name === undefined ? {} : { worker_name })
        })
      })
    case "dlq.list":
      return callIfSupported(actions.list_dead_letters, (list) => {
        const page = {
          queue: parameters.optionalText("queue", "queue") ?? null,
          limit: parameters.wholeNumber("limit", 100, 1, 200),
          cursor: parameters.optionalText("cursor") ?? null
        }
        return Effect.map(list(page), ({ entries, next_cursor, total }) => ({
          entries: entries.map((entry): JsonInput => ({
            ...entry,
            failed_at: wireTimeOf(entry.failed_at),
            error_excerpt: entry.error_excerpt.slice(0, 512)
          })),
          next_cursor,
          total,
          engine: engine.name
        }))
      })
    case "reconcile_task": {
      const task_id = parameters.text("task_id", "task_id", "id")
      return callEngine(() =>
        Effect.map(engine.reconcile(task_id), ({ engine_state, exception, finished_at }) => ({
          task_id,
          engine_state,
          finished_at: wireTimeOf(finished_at),
          exception
        }))
      )
    }
    default:
      return undefined
  }
}

const callIfSupported = <F>(action: F | undefined, run: (action: F) => ActionEffect): ActionEffect | undefined =>
  action === undefined ? undefined : callEngine(() => run(action))

const workerNameOf = (parameters: Parameters): string =>
  parameters.text("worker_name", "worker_name", "worker_id", "id")

const resizePool = ({ pool_resize }: Actions, parameters: Parameters, sign: 1 | -1): ActionEffect | undefined =>
  callIfSupported(
    pool_resize,
    (run) => run({ worker_name: workerNameOf(parameters), delta: sign * parameters.wholeNumber("delta", 1, 1, 10_000) })
  )

/** `0`, `n`, `n/s`, `n/m`, `n/h`, or a number. */
const rateOf = (parameters: Parameters): string => {
  const { rate } = parameters.values
  const text = typeof rate === "number" ? String(rate) : typeof rate === "string" ? rate.trim() : ""
  if (/^\d{1,9}(\/[smh])?$/.test(text)) return text
  throw new BadCommand({ message: "The command's rate must be 0, n, n/s, n/m or n/h." })
}
