import { Either, Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { IdInput } from "../../kernel/Id.ts"
import { exportFormat, pageQuery, QueryBoolean, QueryTimestamp } from "../../kernel/Query.ts"
import { TaskPriority, TaskState } from "../../kernel/TaskState.ts"
import { nullish, text } from "../../kernel/Text.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { conjunctsOf, join, type TaskExpression, termsOf } from "./Expression.ts"
import { maxQueryCharacters, parseQuery } from "./Query.ts"

/**
 * Which tasks of a project: every term that is not null must hold (interface, Tasks).
 *
 * - `name`: part of the name, case-sensitive.
 * - `search`: part of name, queue, worker or task id; letters match in either case (`CaseFolding.ts`). No character is
 *   a wildcard. With `search_exceptions` the exception is searched too.
 * - `engine`, `queue`, `worker`: the whole name.
 * - `fingerprint`: of the latest failed attempt, also where a later one succeeded.
 * - `ids`: ids of rows; any of them matches.
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
  readonly ids: ReadonlyArray<string> | null
  readonly since: Timestamp | null
  readonly until: Timestamp | null
  /** What a query demands beyond the other terms (`addQuery`). */
  readonly query: TaskExpression | null
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
  ids: null,
  since: null,
  until: null,
  query: null
}

/** The filter with a term of a query in its field, where the field is free and means the same; undefined otherwise. */
const liftTerm = (filter: TaskFilter, term: TaskExpression): TaskFilter | undefined => {
  switch (term.kind) {
    case "state": {
      const [state] = term.values
      return filter.state !== null || term.values.length > 1 || state === undefined ? undefined : { ...filter, state }
    }
    case "priority":
      return filter.priority === null ? { ...filter, priority: term.values } : undefined
    case "since":
      return filter.since === null ? { ...filter, since: term.moment } : undefined
    case "until":
      return filter.until === null ? { ...filter, until: term.moment } : undefined
    case "word":
      // where `search` is free, so is `search_exceptions`: it only says what `search` covers
      return filter.search === null ? { ...filter, search: term.text, search_exceptions: true } : undefined
    case "pattern": {
      const [pattern] = term.patterns
      const field = term.column === "worker_name" ? "worker" : term.column
      if (term.patterns.length > 1 || pattern?.match !== (field === "name" ? "part" : "whole")) return undefined
      return filter[field] === null ? { ...filter, [field]: pattern.text } : undefined
    }
    default:
      return undefined
  }
}

/**
 * The filter, and the expression too. Terms that must hold become fields of the filter where they can, because searches
 * read those from indexes; the rest becomes `query`.
 */
export const addQuery = (filter: TaskFilter, expression: TaskExpression | null): TaskFilter => {
  let lifted = filter
  const rest: Array<TaskExpression> = []
  for (const term of conjunctsOf(expression)) {
    const next = liftTerm(lifted, term)
    if (next === undefined) rest.push(term)
    else lifted = next
  }
  return rest.length === 0 ? lifted : { ...lifted, query: join("and", [...conjunctsOf(lifted.query), ...rest]) }
}

/** Whether a query is valid does not depend on the time. */
const anyMoment = Schema.decodeSync(Timestamp)("2026-01-01T00:00:00Z")

/** A query in the language of docs/api.md; `readQuery` reads it. */
export const QueryText = text(maxQueryCharacters).pipe(
  Schema.filter((query) =>
    Either.match(parseQuery(query, anyMoment), {
      onLeft: ({ message, position }) => `${message} (at character ${position + 1})`,
      onRight: () => true
    })
  )
)

export const queryDescription =
  "A query, such as `state:failure,retry -queue:slow runtime:>5s \"timed out\"` (docs/api.md)."
export const exampleQuery = "state:failure name:mail.*"

/** The expression of a decoded query; ages count from `now`. */
export const readQuery = (query: string | null | undefined, now: Timestamp): TaskExpression | null =>
  Either.getOrThrow(parseQuery(query ?? "", now))

/** Whether a query compares arguments or results, which only `payload_role` reads. */
export const readsPayload = (expression: TaskExpression | null): boolean =>
  termsOf(expression).some(({ kind }) => kind === "payload")

const comparesPayload = (query: unknown): boolean =>
  typeof query === "string" &&
  Either.match(parseQuery(query, anyMoment), { onLeft: () => true, onRight: readsPayload })

/** Terms of a selection as those read them whom `payload_role` excludes: a query that compares arguments or results is null. */
export const hidePayloadQuery = (terms: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(terms).map(([name, term]) => [
      name,
      (name === "query" || name === "filter_query") && comparesPayload(term) ? null : term
    ])
  )

/** Ids that one request of `task-matches` may ask about: about 3.7 KB of its address. */
const maxMatchedIds = 100

const Priorities = Schema.compose(Schema.split(","), Schema.NonEmptyArray(TaskPriority))

const filterParams = {
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
  query: describeField(Schema.optional(QueryText), queryDescription, exampleQuery)
}

/** The query of `GET /projects/{slug}/task-facets`. */
export const CountFacets = Schema.Struct(filterParams)
export type FilterParams = typeof CountFacets.Type

const Ids = Schema.compose(
  Schema.split(","),
  Schema.Array(IdInput).pipe(Schema.minItems(1), Schema.maxItems(maxMatchedIds))
)

/** The query of `GET /projects/{slug}/task-matches`. */
export const ListMatches = Schema.Struct({
  ...filterParams,
  ids: describeField(Ids, "Ids of tasks (`id`, not `task_id`), separated by commas; at most 100.", [exampleId])
})

/** The query of `GET /projects/{slug}/tasks` (interface, List query parameters). */
export const ListTasks = Schema.Struct({
  ...filterParams,
  ...pageQuery,
  include_total: describeField(Schema.optional(QueryBoolean), "Adds `total_count`.", true),
  format: exportFormat,
  fields: describeField(Schema.optional(text(500)), "The columns in their order, separated by commas.", "name,state")
})

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
  Schema.filter((value) => value.trim() !== "" || "must not be blank")
)

/** Rows that a request names. */
export const taskIds = describeField(
  nullish(Schema.Array(IdInput).pipe(Schema.minItems(1), Schema.maxItems(1000))),
  "Ids of tasks (`id`, not `task_id`), at most 1000; ids of other projects are ignored.",
  [exampleId]
)

/** The terms of a bulk deletion, a bulk job or an export. */
export const filterFields = {
  task_ids: taskIds,
  filter_state: describeField(nullish(TaskState), "One state.", null),
  filter_priority: describeField(
    nullish(
      Schema.Array(TaskPriority).pipe(
        Schema.minItems(1),
        Schema.filter(
          (priorities) => new Set(priorities).size === priorities.length || "must not name a priority twice",
          {
            jsonSchema: { uniqueItems: true }
          }
        )
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
  filter_until: describeField(nullish(Timestamp), "Upper bound, included.", null),
  filter_query: describeField(
    nullish(QueryText.pipe(Schema.filter((value) => value.trim() !== "" || "must not be blank"))),
    queryDescription,
    null
  )
}

/**
 * The body of bulk-delete: either `task_ids` or at least one filter (interface, Bulk delete request). Unknown fields
 * are refused: without a misspelt filter the request would delete more than intended.
 */
export const BulkDelete = Schema.Struct({
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

/** A bulk operation in one line, for the person who approves it. */
export const summarizeSelection = (verb: "Delete" | "Cancel", { task_ids }: Pick<BulkDelete, "task_ids">): string =>
  task_ids === null ? `${verb} the tasks that match a filter` : `${verb} ${task_ids.length} tasks`

/**
 * The terms as a job stores them. Unknown ones are refused: a replica of an older program would otherwise act on more
 * tasks than were meant.
 */
export const FilterTerms = Schema.Struct(filterFields).annotations({ parseOptions: { onExcessProperty: "error" } })
export type FilterTerms = typeof FilterTerms.Type

/** The filter of the terms; ages of the query count from `now`. */
export const toTaskFilter = (terms: FilterTerms, now: Timestamp): TaskFilter =>
  addQuery({
    state: terms.filter_state,
    priority: terms.filter_priority,
    name: terms.filter_name,
    search: terms.filter_search,
    search_exceptions: false, // the contract's filter_search names four fields, and a wider one would delete more
    engine: null,
    fingerprint: null,
    ids: terms.task_ids,
    queue: terms.filter_queue,
    worker: terms.filter_worker,
    since: terms.filter_since,
    until: terms.filter_until,
    query: null
  }, readQuery(terms.filter_query, now))

export const BulkDeleteResult = Schema.Struct({
  deleted_count: describeField(Schema.NonNegativeInt, "Number of deleted tasks; call again until it is 0.", 250)
})
  .annotations(describeBody("BulkDeleted", "How many tasks were deleted."))
