import { Schema } from "effect"
import { whole } from "../Query.ts"
import { TaskPriority, TaskState } from "../TaskState.ts"
import { GivenId, maybe, text } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"

/**
 * Which tasks of a project: every term that is not null must hold (interface, Tasks).
 *
 * - `name`: part of the name, letter for letter.
 * - `search`: part of name, queue, worker or task id; letters match in either case (`Letters.ts`). No character of it is a
 *   wildcard. With `search_exceptions` the exception counts too.
 * - `queue`, `worker`: the whole name.
 * - `since`, `until`: the bounds, both included, of `received_at`, or of the first event where that is null.
 */
export interface TaskFilter {
  readonly state: TaskState | null
  readonly priority: ReadonlyArray<TaskPriority> | null
  readonly name: string | null
  readonly search: string | null
  readonly search_exceptions: boolean
  readonly queue: string | null
  readonly worker: string | null
  readonly since: Timestamp | null
  readonly until: Timestamp | null
}

export const everyTask: TaskFilter = {
  state: null,
  priority: null,
  name: null,
  search: null,
  search_exceptions: false,
  queue: null,
  worker: null,
  since: null,
  until: null
}

/** A plus sign that was not encoded arrives as a space: `…T00:00:00 02:00` means `+02:00`. */
export const QueryTimestamp = Schema.compose(
  Schema.transform(Schema.String, Schema.String, {
    strict: true,
    decode: (given) => given.replace(/ (\d\d:\d\d)$/, "+$1"),
    encode: (given) => given
  }),
  Timestamp
).annotations({ jsonSchema: { type: "string", format: "date-time" } })

const QueryBoolean = Schema.compose(
  Schema.Lowercase,
  Schema.transformLiterals(["true", true], ["1", true], ["false", false], ["0", false])
)

/** Accepted 1 to 5000, then clamped to SVC_REST_MAX_PAGE_SIZE (interface, Limits). */
export const QueryLimit = whole(1, 5000)

const Priorities = Schema.compose(Schema.split(","), Schema.NonEmptyArray(TaskPriority))

export const ExportFormat = Schema.Literal("csv", "json", "xlsx")
export type ExportFormat = typeof ExportFormat.Type

/** The query of `GET /projects/{slug}/tasks` (interface, List query parameters). */
export const ListTasks = Schema.Struct({
  state: Schema.optional(TaskState),
  priority: Schema.optional(Priorities),
  name: Schema.optional(text(200)),
  search: Schema.optional(text(200)),
  search_exceptions: Schema.optional(QueryBoolean),
  queue: Schema.optional(text(200)),
  worker: Schema.optional(text(200)),
  since: Schema.optional(QueryTimestamp),
  until: Schema.optional(QueryTimestamp),
  cursor: Schema.optional(Schema.String),
  limit: Schema.optional(QueryLimit),
  include_total: Schema.optionalWith(QueryBoolean, { default: () => false }),
  format: Schema.optional(ExportFormat),
  fields: Schema.optional(text(500))
})
export type ListTasks = typeof ListTasks.Type

/** The query of `GET /projects/{slug}/events`. */
export const ListEvents = Schema.Struct({
  engine: text(40, 1),
  task_id: text(200, 1),
  cursor: Schema.optional(Schema.String),
  limit: Schema.optional(QueryLimit)
})

const FilterText = text(200, 1).pipe(
  Schema.filter((given) => given.trim() !== "" || "must not be blank")
)

const filterFields = {
  filter_state: maybe(TaskState),
  filter_priority: maybe(
    Schema.Array(TaskPriority).pipe(
      Schema.minItems(1),
      Schema.filter((given) => new Set(given).size === given.length || "must not name a priority twice", {
        jsonSchema: { uniqueItems: true }
      })
    )
  ),
  filter_search: maybe(FilterText),
  filter_name: maybe(FilterText),
  filter_queue: maybe(FilterText),
  filter_worker: maybe(FilterText),
  filter_since: maybe(Timestamp),
  filter_until: maybe(Timestamp)
}

/**
 * The body of bulk-delete: either `task_ids` or at least one filter (interface, Bulk delete request). A field of
 * another name is refused: a misspelt filter would delete more than was meant.
 */
export const BulkDelete = Schema.Struct({
  task_ids: maybe(Schema.Array(GivenId).pipe(Schema.minItems(1), Schema.maxItems(1000))),
  ...filterFields
}).pipe(
  Schema.filter(({ task_ids, ...filters }) => {
    const filtered = Object.values(filters).some((term) => term !== null)
    if (task_ids !== null && filtered) return "send either task_ids or filters, not both"
    return task_ids !== null || filtered || "send task_ids or at least one filter"
  })
).annotations({ identifier: "BulkDelete", parseOptions: { onExcessProperty: "error" } })
export type BulkDelete = typeof BulkDelete.Type

export const BulkDeleted = Schema.Struct({ deleted_count: Schema.NonNegativeInt })
  .annotations({ identifier: "BulkDeleted" })
