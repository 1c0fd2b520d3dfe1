/** A command carried out by the engine that it is for (agents' protocol, section 5). */
import { Effect } from "effect"
import { type KeyObject, timingSafeEqual } from "node:crypto"
import type { JsonInput } from "../../domain/CanonicalJson.ts"
import { purgeToken } from "../../domain/PurgeToken.ts"
import type { Redaction } from "../../domain/Redaction.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { FrameOf } from "../protocol/Frame.ts"
import { bulkRetry } from "./BulkRetry.ts"
import { brokenBy, cut } from "./Cut.ts"
import { ActionFailed, type Actions, type Answer, type Engine } from "./Engine.ts"
import { BadCommand, Parameters } from "./Parameters.ts"
import { performSchedule } from "./ScheduleCommands.ts"
import type { ScheduleStream } from "./ScheduleStream.ts"

/** A longer sentence is cut (section 2.6). */
const LONGEST_ERROR = 8192

export interface Dispatching {
  readonly engines: ReadonlyArray<Engine>
  /** Of the engines that have schedules of their own. */
  readonly streams: ReadonlyArray<ScheduleStream>
  readonly key: KeyObject
  readonly purgeThreshold: number
  readonly redaction: Redaction
}

export type Dispatched =
  | { readonly status: "success"; readonly result: Answer }
  | { readonly status: "failed"; readonly result: Answer | null; readonly error: string }

type Command = FrameOf<"command">["payload"]
type Doing = Effect.Effect<Answer, ActionFailed>

/** A schedule of the brain's own has come due: a task like any other for the engine (section 6.1). */
const FIRE = "schedule.fire"

const usesFilter = new Set(["bulk_retry", "requeue_dead_letter"])

/** Never fails: what goes wrong is the answer. */
export const dispatch = (command: Command, { engines, key, purgeThreshold, redaction, streams }: Dispatching): Effect.Effect<Dispatched> => {
  const doing = Effect.suspend(() => {
    const { action } = command
    const parameters = new Parameters(command.target, command.parameters)
    if (action.startsWith("schedule.") && action !== FIRE) return performSchedule(action, parameters, streams)
    const named = parameters.engine(usesFilter.has(action))
    const engine = named === null ? (engines.length === 1 ? engines[0] : undefined) : engines.find(({ name }) => name === named)
    if (engine === undefined) {
      const which = named === null ? "the command names none, and this agent has not exactly one" : named
      return new ActionFailed({ message: `no engine adapter registered for this command: ${which}` })
    }
    return perform(action, engine, parameters, confirming(key, purgeThreshold))
      ?? new ActionFailed({ message: `adapter '${engine.name}' does not support action '${action.slice(0, 80)}'` })
  })
  return Effect.match(Effect.catchAllDefect(doing, brokenBy), {
    onSuccess: (result): Dispatched => ({ status: "success", result }),
    onFailure: ({ indeterminate, message }): Dispatched => ({
      status: "failed",
      result: indeterminate === true ? { indeterminate, operation: command.action } : null,
      error: redaction.text(message).slice(0, LONGEST_ERROR)
    })
  })
}

type Confirm = (queue: string, token: string | undefined, force: boolean) => (depth: number) => Effect.Effect<void, ActionFailed>

/** Whether a queue of this depth may be emptied (section 5.3). */
const confirming = (key: KeyObject, threshold: number): Confirm => (queue, token, force) => (depth) => {
  if (force) return Effect.void
  if (depth > threshold) {
    return new ActionFailed({ message: `The queue ${queue} holds ${depth} tasks, more than the ${threshold} that are purged without force.` })
  }
  if (token === undefined) return new ActionFailed({ message: "A purge needs the confirm_token of the queue's depth, or force." })
  const expected = Buffer.from(purgeToken(key, queue, depth))
  const given = Buffer.from(token)
  return given.length === expected.length && timingSafeEqual(given, expected)
    ? Effect.void
    : new ActionFailed({ message: `The queue ${queue} now holds ${depth} tasks, another number than the purge was confirmed for. Look again and confirm that.` })
}

/** Undefined: the engine does not do that. */
const perform = (action: string, engine: Engine, given: Parameters, confirm: Confirm): Doing | undefined => {
  const { actions } = engine
  switch (action) {
    case "submit_task":
      return whenDone(actions.submit_task, (submit) => submit(given.call("name")))
    case FIRE:
      return whenDone(actions.submit_task, (submit) => submit(given.call("task_name")))
    case "retry_task":
      return whenDone(actions.retry_task, (retry) => retry(given.retry()))
    case "requeue_dead_letter":
      return whenDone(actions.requeue_dead_letter, (requeue) => requeue(given.retry()))
    case "bulk_retry":
      return actions.retry_task === undefined ? undefined : bulkRetry(actions.retry_task, given, cut)
    case "cancel_task":
      return whenDone(actions.cancel_task, (cancel) => cancel({ task_id: given.text("task_id", "task_id", "id") }))
    case "purge_queue":
      return whenDone(actions.purge_queue, (purge) => {
        const queue = given.text("queue", "queue", "id")
        const force = given.flag("force")
        return purge({ queue, force, confirm: confirm(queue, given.optionalText("confirm_token"), force) })
      })
    case "restart_worker":
      return whenDone(actions.restart_worker, (restart) => restart({ worker_name: workerOf(given) }))
    case "pool_grow":
      return resize(actions, given, 1)
    case "pool_shrink":
      return resize(actions, given, -1)
    case "add_consumer":
      return whenDone(actions.add_consumer, (add) => add({ worker_name: workerOf(given), queue: given.text("queue", "queue") }))
    case "cancel_consumer":
      return whenDone(actions.cancel_consumer, (stop) => stop({ worker_name: workerOf(given), queue: given.text("queue", "queue") }))
    case "rate_limit":
      return whenDone(actions.rate_limit, (limit) => {
        const worker_name = given.optionalText("worker_name", "worker_name")
        return limit({ task_name: given.text("task_name", "task_name"), rate: rateOf(given), ...(worker_name === undefined ? {} : { worker_name }) })
      })
    case "dlq.list":
      return whenDone(actions.list_dead_letters, (list) => {
        const page = { queue: given.optionalText("queue", "queue") ?? null, limit: given.whole("limit", 100, 1, 200), cursor: given.optionalText("cursor") ?? null }
        return Effect.map(list(page), ({ entries, next_cursor, total }) => ({
          entries: entries.map((entry): JsonInput => ({
            ...entry,
            failed_at: timeOf(entry.failed_at),
            error_excerpt: entry.error_excerpt.slice(0, 512)
          })),
          next_cursor,
          total,
          engine: engine.name
        }))
      })
    case "reconcile_task": {
      const task_id = given.text("task_id", "task_id", "id")
      return cut(() => Effect.map(engine.reconcile(task_id), ({ engine_state, exception, finished_at }) => ({
        task_id,
        engine_state,
        finished_at: timeOf(finished_at),
        exception
      })))
    }
    default:
      return undefined
  }
}

const whenDone = <F>(action: F | undefined, run: (action: F) => Doing): Doing | undefined =>
  action === undefined ? undefined : cut(() => run(action))

const workerOf = (given: Parameters): string => given.text("worker_name", "worker_name", "worker_id", "id")

const resize = ({ pool_resize }: Actions, given: Parameters, sign: 1 | -1): Doing | undefined =>
  whenDone(pool_resize, (run) => run({ worker_name: workerOf(given), delta: sign * given.whole("delta", 1, 1, 10_000) }))

/** `0`, `n`, `n/s`, `n/m`, `n/h`; a plain number is taken too. */
const rateOf = (given: Parameters): string => {
  const { rate } = given.values
  const text = typeof rate === "number" ? String(rate) : typeof rate === "string" ? rate.trim() : ""
  if (/^\d{1,9}(\/[smh])?$/.test(text)) return text
  throw new BadCommand({ message: "The command's rate must be 0, n, n/s, n/m or n/h." })
}

const timeOf = (millis: number | null): string | null =>
  millis === null || !Number.isFinite(millis) ? null : Timestamp.fromEpochMicros(Math.round(millis * 1000))
