import { Schema } from "effect"
import { maxPauseDays, maxPauseReasonLength } from "../../agents/QueuePause.ts"
import type { CanonicalText } from "../../kernel/CanonicalJson.ts"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { AgentId, caseInsensitiveId } from "../../kernel/Id.ts"
import { nullish, text } from "../../kernel/Text.ts"
import { secondsPerDay, Timestamp } from "../../kernel/Timestamp.ts"
import { BulkRetryMax } from "../BulkRetry/Max.ts"

/** Bodies of the command endpoints (interface, Commands; bodies: …Request). */

const idempotency_key = describeField(
  nullish(text(200, 1)),
  "Makes a repetition safe: the same key and body return the first command again.",
  "retry-a3f1c2d4"
)
const engine = text(40, 1)
const worker_name = describeField(text(200, 1), "The worker's name, as `/workers` shows it.", "celery@box-1")
const queue = describeField(text(200, 1), "The queue's name.", "default")

/** An agent and one of its engines. Without an engine the brain resolves it. */
const agent_id = describeField(caseInsensitiveId(AgentId), "The agent.", exampleId)
const targetFields = {
  agent_id,
  engine: describeField(
    nullish(engine),
    "The engine; without it the brain resolves it from the queue or the agent.",
    "celery"
  )
}
const workerTargetFields = { ...targetFields, worker_name }
const taskTargetFields = {
  agent_id,
  engine: describeField(engine, "The task's engine.", "celery"),
  task_id: describeField(text(200, 1), "The engine's own id of the task.", "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607")
}

/** Bytes of `override_args` and of `override_kwargs`, serialized (interface, Limits). */
export const maxOverrideBytes = 65_536

/** An equal retry of a task within this time is the same one: a button that was pressed twice, or a repeated request. */
export const repeatedRetrySeconds = 10

export const RetryTaskRequest = Schema.Struct({
  ...taskTargetFields,
  override_args: describeField(
    nullish(Schema.Array(Schema.Unknown)),
    "Positional arguments instead of the task's own, at most 64 KiB; only together with `override_kwargs`.",
    [42]
  ),
  override_kwargs: describeField(
    nullish(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    "Named arguments instead of the task's own, at most 64 KiB.",
    { currency: "EUR" }
  ),
  eta_seconds: describeField(
    nullish(Schema.Int.pipe(Schema.between(0, secondsPerDay))),
    "Seconds to wait before it runs.",
    60
  ),
  force: describeField(
    Schema.optional(Schema.Boolean),
    `\`true\`: retries also within ${repeatedRetrySeconds} s of an equal retry of the task. Otherwise the command of that retry is returned.`,
    true
  ),
  idempotency_key
}).annotations({ description: "A task to retry." }).pipe(
  Schema.filter(({ override_args, override_kwargs }) =>
    (override_args === null) === (override_kwargs === null) || {
      path: [override_args === null ? "override_args" : "override_kwargs"],
      message: "send both override_args and override_kwargs, or neither"
    }
  )
).annotations(describeBody("RetryTaskRequest", "A task to retry."))

/**
 * A retry with its overrides as the caller wrote them, every digit and every int or float unchanged. Both or neither.
 */
export interface RetryTask extends Omit<typeof RetryTaskRequest.Type, "override_args" | "override_kwargs"> {
  readonly override_args: CanonicalText | null
  readonly override_kwargs: CanonicalText | null
}

export const CancelTaskRequest = Schema.Struct({ ...taskTargetFields, idempotency_key })
  .annotations(describeBody("CancelTaskRequest", "A task to cancel."))
export type CancelTask = typeof CancelTaskRequest.Type

export const RequeueDeadLetterRequest = Schema.Struct({ ...taskTargetFields, idempotency_key })
  .annotations(describeBody("RequeueDeadLetterRequest", "A task to requeue."))
export type RequeueDeadLetter = typeof RequeueDeadLetterRequest.Type

/** `parseSelection` reads `filter`: its problem decides between 410 and 422. */
export const BulkRetryRequest = Schema.Struct({
  agent_id,
  filter: describeField(
    nullish(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    "`task_ids`: at most 10,000 task ids of the engine; `engine`: that engine.",
    { task_ids: ["a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"], engine: "celery" }
  ),
  max: describeField(
    Schema.optionalWith(BulkRetryMax, { default: () => 1000 }),
    "The most tasks to retry.",
    1000
  ),
  idempotency_key
}).annotations(describeBody("BulkRetryRequest", "Tasks to retry."))
export type BulkRetry = typeof BulkRetryRequest.Type

export const PurgeQueueRequest = Schema.Struct({
  ...targetFields,
  queue,
  confirm_token: describeField(
    nullish(text(128, 1)),
    "The confirmation token, where the agent requires one.",
    null
  ),
  observed_depth: describeField(
    nullish(Schema.Int.pipe(Schema.between(0, Number.MAX_SAFE_INTEGER))),
    "The queue's length as the caller saw it.",
    12
  ),
  force: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => false }),
    "Purges any number of messages.",
    false
  ),
  idempotency_key
}).annotations(describeBody("PurgeQueueRequest", "A queue to purge."))
export type PurgeQueue = typeof PurgeQueueRequest.Type

export const PauseQueueRequest = Schema.Struct({
  ...targetFields,
  queue,
  reason: describeField(
    text(maxPauseReasonLength, 1),
    "Why; members of the project see it.",
    "The bank's API is down."
  ),
  resume_at: describeField(
    nullish(Timestamp),
    `When the server resumes the queue, at most ${maxPauseDays} days from now; null: once a user does.`,
    exampleTime
  ),
  idempotency_key
}).annotations(describeBody("PauseQueueRequest", "A queue to pause."))
export type PauseQueue = typeof PauseQueueRequest.Type

export const ResumeQueueRequest = Schema.Struct({ ...targetFields, queue, idempotency_key })
  .annotations(describeBody("ResumeQueueRequest", "A queue to resume."))
export type ResumeQueue = typeof ResumeQueueRequest.Type

export const RestartWorkerRequest = Schema.Struct({ ...workerTargetFields, idempotency_key })
  .annotations(describeBody("RestartWorkerRequest", "A worker to restart."))
export type RestartWorker = typeof RestartWorkerRequest.Type

export const PoolResizeRequest = Schema.Struct({
  ...workerTargetFields,
  delta: describeField(
    Schema.Int.pipe(Schema.between(-100, 100)),
    "How many processes to add, or with a minus sign to remove; 0 changes nothing.",
    2
  ),
  idempotency_key
}).annotations(describeBody("PoolResizeRequest", "A pool to resize."))
export type PoolResize = typeof PoolResizeRequest.Type

export const ConsumerRequest = Schema.Struct({ ...workerTargetFields, queue, idempotency_key })
  .annotations(describeBody("ConsumerRequest", "A worker and a queue."))
export type Consumer = typeof ConsumerRequest.Type

export const RateLimitRequest = Schema.Struct({
  ...targetFields,
  task_name: describeField(text(500, 1), "The task's name.", "shop.pay"),
  rate: describeField(
    text(20, 1).pipe(
      Schema.pattern(/^\d+(\/[smh])?$/, {
        message: () => "must be a whole number, alone or with /s, /m or /h; 0 clears the limit"
      })
    ),
    "Tasks per second, minute or hour; 0 removes the limit.",
    "10/m"
  ),
  worker_name: describeField(nullish(text(200)), "The worker; without it all workers.", "celery@box-1"),
  idempotency_key
}).annotations(describeBody("RateLimitRequest", "A rate limit of a task."))
export type RateLimit = typeof RateLimitRequest.Type
