import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../Describe.ts"
import { IdInput } from "../Id.ts"
import { exportFormat, pageQuery, QueryBoolean, QueryTimestamp } from "../Query.ts"
import { TaskPriority, TaskState } from "../TaskState.ts"
import { nullish, text } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"

/**
 * Which tasks of a project: every term that is not null must hold (interface, Tasks).
 *
 * - `name`: part of the name, case-sensitive.
 * - `search`: part of name, queue, worker or task id; letters match in either case (`CaseFolding.ts`). No character is
 *   a wildcard. With `search_exceptions` the exception is searched too.
 * - `engine`, `queue`, `worker`: the whole name.
 * - `fingerprint`: of the latest failed attempt, also where a later one succeeded.
 * - `since`, `until`: the bounds, both included, of `received_at`, or of the first event where that is null.
 */
export interface TaskFilter {
  readonly state: TaskState | null
  readonly priority: ReadonlyArray<TaskPriority> | null
  readonly name: string | null
  readonly search: string | null
  readonly search_exceptions: boolean
  readonly engine: string | null
  readonly queue: string | null
  readonly worker: string | null
  readonly fingerprint: string | null
  readonly since: Timestamp | null
  readonly until: Timestamp | null
}

export const everyTask: TaskFilter = {
  state: null,
  priority: null,
  name: null,
  search: null,
  search_exceptions: false,
  engine: null,
  queue: null,
  worker: null,
  fingerprint: null,
  since: null,
  until: null
}

const Priorities = Schema.compose(Schema.split(","), Schema.NonEmptyArray(TaskPriority))

/** The query of `GET /projects/{slug}/tasks` (interface, List query parameters). */
export const ListTasks = Schema.Struct({
  state: describeField(Schema.optional(TaskState), "One state.", "failure"),
  priority: describeField(Schema.optional(Priorities), "Priorities, separated by commas; any of them matches.", [
    "critical",
    "high"
  ]),
  name: describeField(Schema.optional(text(200)), "Part of the name, case-sensitive.", "shop."),
  search: describeField(Schema.optional(text(200)), "Part of name, queue, worker or task id, in either case.", "pay"),
  search_exceptions: describeField(
    Schema.optional(QueryBoolean),
    "`true`: `search` also finds a part of the exception.",
    true
  ),
  engine: describeField(Schema.optional(text(40)), "The engine, in lower case.", "celery"),
  queue: describeField(Schema.optional(text(200)), "The whole name of the queue.", "default"),
  worker: describeField(Schema.optional(text(200)), "The whole name of the worker.", "celery@box-1"),
  fingerprint: describeField(
    Schema.optional(text(40)),
    "The failure group of the latest failed attempt, also where a later one succeeded (`GET …/issues`).",
    "9f2c41d07be5a836"
  ),
  since: describeField(
    Schema.optional(QueryTimestamp),
    "Lower bound, included, of `received_at`, or of the first event where that is null.",
    exampleTime
  ),
  until: describeField(Schema.optional(QueryTimestamp), "Upper bound, included.", exampleTime),
  ...pageQuery,
  include_total: describeField(Schema.optional(QueryBoolean), "Adds `total_count`.", true),
  format: exportFormat,
  fields: describeField(Schema.optional(text(500)), "The columns in their order, separated by commas.", "name,state")
})
export type ListTasks = typeof ListTasks.Type

/** The query of `GET /projects/{slug}/events`. */
export const ListEvents = Schema.Struct({
  engine: describeField(text(40, 1), "The engine, in lower case.", "celery"),
  task_id: describeField(
    text(200, 1),
    "The engine's own id of the task; it may hold any character.",
    "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"
  ),
  ...pageQuery
})

const FilterText = text(200, 1).pipe(
  Schema.filter((given) => given.trim() !== "" || "must not be blank")
)

const filterFields = {
  filter_state: describeField(nullish(TaskState), "One state.", null),
  filter_priority: describeField(
    nullish(
      Schema.Array(TaskPriority).pipe(
        Schema.minItems(1),
        Schema.filter((given) => new Set(given).size === given.length || "must not name a priority twice", {
          jsonSchema: { uniqueItems: true }
        })
      )
    ),
    "Priorities; any of them matches.",
    null
  ),
  filter_search: describeField(nullish(FilterText), "Part of name, queue, worker or task id.", null),
  filter_name: describeField(nullish(FilterText), "Part of the name, case-sensitive.", null),
  filter_queue: describeField(nullish(FilterText), "The whole name of the queue.", null),
  filter_worker: describeField(nullish(FilterText), "The whole name of the worker.", null),
  filter_since: describeField(nullish(Timestamp), "Lower bound, included.", null),
  filter_until: describeField(nullish(Timestamp), "Upper bound, included.", null)
}

/**
 * The body of bulk-delete: either `task_ids` or at least one filter (interface, Bulk delete request). Unknown fields
 * are refused: without a misspelt filter the request would delete more than intended.
 */
export const BulkDelete = Schema.Struct({
  task_ids: describeField(
    nullish(Schema.Array(IdInput).pipe(Schema.minItems(1), Schema.maxItems(1000))),
    "Ids of tasks (`id`, not `task_id`); ids of other projects are ignored.",
    [exampleId]
  ),
  ...filterFields
}).annotations({ description: "Which tasks to delete: either `task_ids`, or at least one filter." }).pipe(
  Schema.filter(({ task_ids, ...filters }) => {
    const filtered = Object.values(filters).some((term) => term !== null)
    if (task_ids !== null && filtered) return "send either task_ids or filters, not both"
    return task_ids !== null || filtered || "send task_ids or at least one filter"
  })
).annotations({
  ...describeBody("BulkDelete", "Which tasks to delete: either `task_ids`, or at least one filter."),
  parseOptions: { onExcessProperty: "error" }
})
export type BulkDelete = typeof BulkDelete.Type

export const BulkDeleteResult = Schema.Struct({
  deleted_count: describeField(Schema.NonNegativeInt, "Number of deleted tasks; call again until it is 0.", 250)
})
  .annotations(describeBody("BulkDeleted", "How many tasks were deleted."))
