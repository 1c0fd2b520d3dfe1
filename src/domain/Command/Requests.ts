import { Schema } from "effect"
import type { CanonicalText } from "../CanonicalJson.ts"
import { GivenId, maybe, text } from "../Text.ts"

/** Bodies of the command endpoints (interface, Commands; bodies: …Request). */

const idempotency_key = maybe(text(200, 1))
const engine = text(40, 1)
const worker_name = text(200, 1)
const queue = text(200, 1)

/** Who is asked: an agent, and which of its engines; without it the brain finds the engine out. */
const target = { agent_id: GivenId, engine: maybe(engine) }
const ofWorker = { ...target, worker_name }
const ofTask = { agent_id: GivenId, engine, task_id: text(200, 1) }

/** Bytes of `override_args` and of `override_kwargs`, serialized (interface, Limits). */
export const maxOverrideBytes = 65_536

export const RetryTaskRequest = Schema.Struct({
  ...ofTask,
  override_args: maybe(Schema.Array(Schema.Unknown)),
  override_kwargs: maybe(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  eta_seconds: maybe(Schema.Int.pipe(Schema.between(0, 86_400))),
  idempotency_key
}).pipe(
  Schema.filter(({ override_args, override_kwargs }) =>
    (override_args === null) === (override_kwargs === null) || {
      path: [override_args === null ? "override_args" : "override_kwargs"],
      message: "send both override_args and override_kwargs, or neither"
    }
  )
).annotations({ identifier: "RetryTaskRequest" })

/** A retry with its overrides as the caller wrote them: no digit and no int or float changed. Both or neither. */
export interface RetryTask extends Omit<typeof RetryTaskRequest.Type, "override_args" | "override_kwargs"> {
  readonly override_args: CanonicalText | null
  readonly override_kwargs: CanonicalText | null
}

export const CancelTaskRequest = Schema.Struct({ ...ofTask, idempotency_key })
  .annotations({ identifier: "CancelTaskRequest" })
export type CancelTask = typeof CancelTaskRequest.Type

export const RequeueDeadLetterRequest = Schema.Struct({ ...ofTask, idempotency_key })
  .annotations({ identifier: "RequeueDeadLetterRequest" })
export type RequeueDeadLetter = typeof RequeueDeadLetterRequest.Type

/** `filter` is read by `selectionOf`: what is wrong in it decides between 410 and 422. */
export const BulkRetryRequest = Schema.Struct({
  agent_id: GivenId,
  filter: maybe(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  max: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 10_000)), { default: () => 1000 }),
  idempotency_key
}).annotations({ identifier: "BulkRetryRequest" })
export type BulkRetry = typeof BulkRetryRequest.Type

export const PurgeQueueRequest = Schema.Struct({
  ...target,
  queue,
  confirm_token: maybe(text(128, 1)),
  observed_depth: maybe(Schema.Int.pipe(Schema.between(0, Number.MAX_SAFE_INTEGER))),
  force: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  idempotency_key
}).annotations({ identifier: "PurgeQueueRequest" })
export type PurgeQueue = typeof PurgeQueueRequest.Type

export const RestartWorkerRequest = Schema.Struct({ ...ofWorker, idempotency_key })
  .annotations({ identifier: "RestartWorkerRequest" })
export type RestartWorker = typeof RestartWorkerRequest.Type

export const PoolResizeRequest = Schema.Struct({
  ...ofWorker,
  delta: Schema.Int.pipe(
    Schema.between(-100, 100),
    Schema.filter((delta) => delta !== 0 || "must grow or shrink the pool: not 0")
  ),
  idempotency_key
}).annotations({ identifier: "PoolResizeRequest" })
export type PoolResize = typeof PoolResizeRequest.Type

export const ConsumerRequest = Schema.Struct({ ...ofWorker, queue, idempotency_key })
  .annotations({ identifier: "ConsumerRequest" })
export type Consumer = typeof ConsumerRequest.Type

export const RateLimitRequest = Schema.Struct({
  ...target,
  task_name: text(500, 1),
  rate: text(20, 1).pipe(
    Schema.pattern(/^\d+(\/[smh])?$/, {
      message: () => "must be a whole number, alone or with /s, /m or /h; 0 clears the limit"
    })
  ),
  worker_name: maybe(text(200)),
  idempotency_key
}).annotations({ identifier: "RateLimitRequest" })
export type RateLimit = typeof RateLimitRequest.Type
