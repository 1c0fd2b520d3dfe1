import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { AgentId, BulkRetryId, caseInsensitiveId, ProjectId, UserId } from "../kernel/Id.ts"
import { Page } from "../kernel/Page.ts"
import { TaskPriority, TaskState } from "../kernel/TaskState.ts"
import { nullish, text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { termsOf } from "../tasks/Task/Expression.ts"
import {
  addQuery,
  everyTask,
  queryDescription,
  QueryText,
  readQuery,
  type TaskFilter,
  taskIds
} from "../tasks/Task/Filter.ts"
import { BulkRetryMax } from "./BulkRetry/Max.ts"
import { TaskOutcomes } from "./BulkRetry/TaskOutcome.ts"

/**
 * Durable bulk retries (bodies: bulk-retry-requests; docs/bulk-retry.md): the tasks of a filter, frozen when the request
 * is created, and retried one by one.
 */

/** The most tasks of a request without `max`: what is frozen while its caller waits. */
export const maxFrozen = 100_000

/** Version of the canonical form that the digests are made of. */
export const canonicalizerVersion = 1

/** Retries a second. */
const Rate = Schema.Number.pipe(
  Schema.filter((rate) => (rate >= 0.01 && rate <= 1000) || "must be a number from 0.01 to 1000", {
    jsonSchema: { minimum: 0.01, maximum: 1000 }
  })
)

const FilterText = text(200, 1)

/** Unknown members are refused: without a misspelt term the request would retry more than was meant. */
const BulkRetryFilter = Schema.Struct({
  task_ids: taskIds,
  state: describeField(
    nullish(TaskState),
    "One state; without it, and without `task_ids`, `failure`.",
    "failure"
  ),
  priority: describeField(
    nullish(Schema.Array(TaskPriority).pipe(Schema.minItems(1))),
    "Priorities; any of them matches.",
    null
  ),
  name: describeField(nullish(FilterText), "Part of the name, case-sensitive.", "shop."),
  search: describeField(nullish(FilterText), "Part of name, queue, worker or task id, in either case.", null),
  search_exceptions: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => false }),
    "`true`: `search` also finds a part of the exception.",
    false
  ),
  engine: describeField(nullish(text(40, 1)), "The engine, in lower case.", "celery"),
  queue: describeField(nullish(FilterText), "The whole name of the queue.", null),
  worker: describeField(nullish(FilterText), "The whole name of the worker.", null),
  fingerprint: describeField(
    nullish(text(40, 1)),
    "The failure group of the latest failed attempt (`GET …/issues`).",
    "9f2c41d07be5a836"
  ),
  since: describeField(
    nullish(Timestamp),
    "Lower bound, included, of `received_at`, or of the first event where that is null.",
    exampleTime
  ),
  until: describeField(nullish(Timestamp), "Upper bound, included.", null),
  query: describeField(nullish(QueryText), queryDescription, null)
}).annotations({
  ...describeBody("BulkRetryFilter", "Which tasks: the terms of the list of tasks. All of them must match."),
  parseOptions: { onExcessProperty: "error" }
})
export type BulkRetryFilter = typeof BulkRetryFilter.Type

const namesState = (query: BulkRetryFilter["query"], now: Timestamp): boolean =>
  termsOf(readQuery(query, now)).some(({ kind }) => kind === "state")

/** What was never asked to be retried is rarely meant: where nothing names a state or the tasks, only failed ones are. */
export const stateOf = ({ query, state, task_ids }: BulkRetryFilter, now: Timestamp): TaskState | null =>
  state ?? (task_ids !== null || namesState(query, now) ? null : "failure")

/** Ages of the query count from `now`. */
export const toTaskFilter = (filter: BulkRetryFilter, now: Timestamp): TaskFilter => {
  const { query, task_ids, ...terms } = filter
  return addQuery({ ...everyTask, ...terms, ids: task_ids, state: stateOf(filter, now) }, readQuery(query, now))
}

const selectionFields = {
  agent_id: describeField(
    nullish(caseInsensitiveId(AgentId)),
    "The agent that retries all tasks; null: one that serves the task's engine.",
    null
  ),
  filter: describeField(
    Schema.optionalWith(BulkRetryFilter, { default: () => Schema.decodeSync(BulkRetryFilter)({}) }),
    "Which tasks; without it, all failed tasks of the project."
  ),
  max: describeField(
    Schema.optionalWith(Schema.NullOr(BulkRetryMax), { default: () => 1000 }),
    "The most tasks; of more that match, the oldest are taken. null: all that match, at most 100 000.",
    1000
  )
}

export const BulkRetryPreviewRequest = Schema.Struct(selectionFields)
  .annotations(describeBody("BulkRetryPreviewRequest", "A bulk retry that is not created."))
export type BulkRetryPreviewRequest = typeof BulkRetryPreviewRequest.Type

export const BulkRetryRequestCreate = Schema.Struct({
  idempotency_key: describeField(
    text(200, 1),
    "Names the request in its project: the same key and body return the first request again.",
    "retry-outage-2026-01-31"
  ),
  ...selectionFields,
  rate_per_second: describeField(nullish(Rate), "The most retries a second; null: no limit.", 20)
}).annotations(describeBody("BulkRetryRequestCreate", "Tasks to retry, by a filter."))
export type BulkRetryRequestCreate = typeof BulkRetryRequestCreate.Type

const queryRateMessage = () => "must be 0, or a number from 0.01 to 1000"

/** The query of `resume`. */
export const ResumeBulkRetry = Schema.Struct({
  rate_per_second: describeField(
    Schema.optional(
      Schema.compose(
        Schema.String.pipe(Schema.pattern(/^\d{1,4}(\.\d{1,6})?$/, { message: queryRateMessage })),
        Schema.NumberFromString.pipe(
          Schema.filter((rate) => rate === 0 || (rate >= 0.01 && rate <= 1000), { message: queryRateMessage })
        )
      ).annotations({ jsonSchema: { type: "number", minimum: 0, maximum: 1000 } })
    ),
    "The most retries a second from now on; 0: no limit.",
    5
  )
})

/** `running` until nothing is left to do; the others are final. */
export const bulkRetryStatuses = ["running", "completed", "cancelled", "expired"] as const
export const BulkRetryStatus = Schema.Literal(...bulkRetryStatuses)
export type BulkRetryStatus = typeof BulkRetryStatus.Type

/** What people have asked for. */
export const ControlState = Schema.Literal("running", "paused", "cancelled")
export type ControlState = typeof ControlState.Type

export const BulkRetryCounts = Schema.Struct({
  total: describeField(Schema.NonNegativeInt, "Tasks of the frozen set.", 4213),
  pending: describeField(Schema.NonNegativeInt, "Not commanded.", 4000),
  claimed: describeField(Schema.NonNegativeInt, "Commanded, without an outcome.", 100),
  unobserved: describeField(
    Schema.NonNegativeInt,
    "Left out: the task is gone or has changed since, or its command was cancelled before it was sent.",
    3
  ),
  succeeded: describeField(Schema.NonNegativeInt, "Retried: the agent has confirmed it.", 100),
  failed: describeField(Schema.NonNegativeInt, "Not retried: the agent refused or failed.", 10),
  unknown: describeField(Schema.NonNegativeInt, "Sent, and whether it was retried is not known.", 0)
}).annotations(describeBody("BulkRetryCounts", "Tasks of a bulk retry, by how far each is."))

export const BulkRetryRequestPublic = Schema.Struct({
  id: describeField(BulkRetryId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  idempotency_key: describeField(Schema.String, "The key that it was created with.", "retry-outage-2026-01-31"),
  status: describeField(
    Schema.String.annotations({ jsonSchema: { type: "string", enum: bulkRetryStatuses } }),
    "`running` until nothing is left to do.",
    "running"
  ),
  control_state: describeField(
    Schema.String.annotations({ jsonSchema: { type: "string", enum: ControlState.literals } }),
    "What people have asked for.",
    "running"
  ),
  canonicalizer_version: describeField(Schema.Int, "Version of the digests' form.", canonicalizerVersion),
  canonical_digest: describeField(Schema.String, "SHA-256 of the request.", "9f86d081884c7d65"),
  plan_digest: describeField(Schema.String, "SHA-256 over the frozen tasks in their order.", "60303ae22b998861"),
  target_name: describeField(
    Schema.NullOr(Schema.String),
    "The name of its tasks; null: they have several names, or there are none.",
    "shop.orders.ship"
  ),
  target_agent_id: describeField(Schema.NullOr(AgentId), "The agent of all tasks; null: by engine.", null),
  counts: describeField(BulkRetryCounts, "How far its tasks are.", {
    total: 4213,
    pending: 4000,
    claimed: 100,
    unobserved: 3,
    succeeded: 100,
    failed: 10,
    unknown: 0
  }),
  outcomes: describeField(
    Schema.NullOr(TaskOutcomes),
    "What became of the tasks of `counts.succeeded`. null: not counted, because the list has too many; read it alone.",
    { succeeded: 61, failed: 30, waiting: 8, cancelled: 0, unknown: 1 }
  ),
  created_at: describeField(Timestamp, "When it was asked for.", exampleTime),
  sealed_at: describeField(Timestamp, "When the set was frozen.", exampleTime),
  deadline_at: describeField(Timestamp, "No task is retried after this.", exampleTime),
  last_progress_at: describeField(Schema.NullOr(Timestamp), "When a task moved last; null: none yet.", exampleTime),
  filter: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "The terms that were given, with the state.",
    { state: "failure", name: "shop." }
  ),
  max: describeField(Schema.NullOr(Schema.Int), "The most tasks; null: all that match.", 1000),
  capped: describeField(Schema.Boolean, "More tasks matched than it took.", false),
  rate_per_second: describeField(Schema.NullOr(Schema.Number), "The most retries a second; null: no limit.", 20),
  created_by: describeField(Schema.NullOr(UserId), "The user who asked for it; null: the program.", exampleId),
  finished_at: describeField(Schema.NullOr(Timestamp), "When it ended; null: it has not.", null),
  note: describeField(Schema.NullOr(Schema.String), "Advice for people: what it waits for.", null)
}).annotations(describeBody("BulkRetry", "A bulk retry and how far it is."))
export type BulkRetryRequestPublic = typeof BulkRetryRequestPublic.Type

export const BulkRetryRequestList = Page(BulkRetryRequestPublic).annotations(
  describeBody("BulkRetryList", "A page of bulk retries.")
)
