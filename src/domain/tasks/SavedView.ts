import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { SavedViewId, UserId } from "../kernel/Id.ts"
import { TaskPriority, TaskState } from "../kernel/TaskState.ts"
import { nullish, text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { QueryText } from "./Task/Filter.ts"

/** The filters of a saved view of the task list (bodies: SavedTaskFilters). */
export const SavedTaskFilters = Schema.Struct({
  state: describeField(nullish(TaskState), "One state; null: every state.", "failure"),
  priority: describeField(
    Schema.optionalWith(Schema.Array(TaskPriority).pipe(Schema.maxItems(4)), { default: () => [] }),
    "Priorities, any of them matches; empty: every priority.",
    ["critical", "high"]
  ),
  search: describeField(
    Schema.optionalWith(text(200), { default: () => "" }),
    "Part of name, queue, worker or task id, in either case; empty: no search.",
    "pay"
  ),
  query: describeField(
    Schema.optionalWith(QueryText, { default: () => "" }),
    "A query that must hold too (docs/api.md); empty: none.",
    "queue:slow runtime:>5s"
  )
}).annotations({
  ...describeBody("SavedTaskFilters", "What a saved view filters the task list by."),
  parseOptions: { onExcessProperty: "error" } // a misspelt filter would save a view that shows more
})

/** A named filter of a project's task list (bodies: SavedViewPublic). */
export const SavedView = Schema.Struct({
  id: describeField(SavedViewId, "Its id.", exampleId),
  name: describeField(Schema.String, "Its name.", "Failed payments"),
  filters: describeField(SavedTaskFilters, "What it filters by."),
  is_shared: describeField(Schema.Boolean, "Whether all members of the project see it.", true),
  owner_id: describeField(Schema.NullOr(UserId), "Who created it; null: the user was deleted.", exampleId),
  is_own: describeField(Schema.Boolean, "Whether the caller created it.", false),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  updated_at: describeField(Timestamp, "When it last changed.", exampleTime)
}).annotations(describeBody("SavedView", "A named filter of a project's task list."))
export type SavedView = typeof SavedView.Type

const name = describeField(
  text(80, 1).pipe(Schema.filter((value) => value.trim() !== "" || "must not be blank")),
  "Its name, unique among the owner's views of the project.",
  "Failed payments"
)

/** A view to create or replace (bodies: SavedViewWrite). */
export const SavedViewWrite = Schema.Struct({
  name,
  filters: describeField(SavedTaskFilters, "What it filters by."),
  is_shared: describeField(
    Schema.optional(Schema.Boolean),
    "Whether all members of the project see it, which needs the role operator. Absent: a new view is personal, and " +
      "an existing one stays as it is.",
    true
  )
}).annotations(describeBody("SavedViewWrite", "A view to save."))
export type SavedViewWrite = typeof SavedViewWrite.Type
