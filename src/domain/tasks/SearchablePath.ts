import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { SearchablePathId, UserId } from "../kernel/Id.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { formatPlace, parsePlace } from "./Task/PlacedValue.ts"

/** Paths that a project may have: each is a row of the index for each task that has a value there. */
export const maxSearchablePaths = 16

/** A place in the arguments or the result of one task name's tasks, whose values are in an index. */
export const SearchablePath = Schema.Struct({
  id: describeField(SearchablePathId, "Its id.", exampleId),
  task_name: describeField(Schema.String, "The whole name of the tasks.", "shop.orders.pay"),
  path: describeField(Schema.String, "The place, as a term of a query names it.", "kwargs.order"),
  status: describeField(
    Schema.Literal("waiting", "filling", "ready"),
    "`waiting`: the index has new tasks alone; `filling`: it has the tasks since `filled_to`; `ready`: it has all.",
    "ready"
  ),
  filled_to: describeField(
    Schema.NullOr(Timestamp),
    "While it is filled, newest first: tasks that the brain first heard of since then are in the index. A query reads the " +
      "older ones themselves.",
    null
  ),
  created_by: describeField(Schema.NullOr(UserId), "Who made it searchable; null: the user was deleted.", exampleId),
  created_at: describeField(Timestamp, "When it was made searchable.", exampleTime)
}).annotations(describeBody("SearchablePath", "A place whose values are in an index."))
export type SearchablePath = typeof SearchablePath.Type

/** `args.customer` and `args.0.customer` are one place. */
const PlaceName = text(200, 1).pipe(
  Schema.filter((name) =>
    parsePlace(name) !== null || "must be a place such as kwargs.order, args.0.customer or result.status"
  )
)

export const SearchablePathCreate = Schema.Struct({
  task_name: describeField(text(500, 1), "The whole name of the tasks.", "shop.orders.pay"),
  path: describeField(PlaceName, "The place, as a term of a query names it.", "kwargs.order")
}).annotations(describeBody("SearchablePathCreate", "A place to make searchable."))
export type SearchablePathCreate = typeof SearchablePathCreate.Type

/** The one form of a decoded path. */
export const normalizePath = (name: string): string => {
  const place = parsePlace(name)
  return place === null ? name : formatPlace(place)
}
