import { Schema } from "effect"
import { describeBody, describeField, exampleId } from "../../kernel/Describe.ts"
import { Id } from "../../kernel/Id.ts"

/** Newest matching tasks whose values are counted. */
export const maxFacetTasks = 10_000
/** Values that are returned of each column, the most frequent ones. */
export const maxFacetValues = 20

const Values = Schema.Array(
  Schema.Struct({
    value: describeField(Schema.String, "The value.", "default"),
    count: describeField(Schema.NonNegativeInt, "How many of the counted tasks have it.", 42)
  })
)

/** How often each value occurs among the tasks of a filter (`GET /projects/{slug}/task-facets`). */
export const TaskFacetCounts = Schema.Struct({
  counted: describeField(Schema.NonNegativeInt, "How many of the tasks that were read match.", 1200),
  is_complete: describeField(
    Schema.Boolean,
    "Whether all tasks were read. Otherwise the counts are of the newest 10 000 tasks that an index finds.",
    true
  ),
  state: describeField(Values, "Their states, the most frequent first.", [{ value: "failure", count: 42 }]),
  name: describeField(Values, "Their names, at most 20.", [{ value: "shop.pay", count: 42 }]),
  queue: describeField(Values, "Their queues, at most 20.", [{ value: "default", count: 42 }]),
  worker: describeField(Values, "Their workers, at most 20.", [{ value: "celery@box-1", count: 42 }]),
  engine: describeField(Values, "Their engines.", [{ value: "celery", count: 42 }]),
  is_state_complete: describeField(
    Schema.Boolean,
    "Whether `state` counts all matching tasks: also without `is_complete` where the filter has no other term.",
    true
  )
}).annotations(describeBody("TaskFacetCounts", "How often each value occurs among the tasks of a filter."))
export type TaskFacetCounts = typeof TaskFacetCounts.Type

/** What the tasks that were read say. */
export type ReadFacetCounts = Omit<TaskFacetCounts, "is_state_complete">

/** Which of the given tasks match a filter (`GET /projects/{slug}/task-matches`). */
export const TaskMatches = Schema.Struct({
  ids: describeField(Schema.Array(Id), "The ids of the given tasks that match.", [exampleId])
}).annotations(describeBody("TaskMatches", "Which of the given tasks match a filter."))
