import { Schema } from "effect"
import { Page } from "./Page.ts"
import { wholeOr } from "./Query.ts"
import { ExportFormat, QueryLimit, QueryTimestamp } from "./Task/Filter.ts"
import { GivenId, Id, text } from "./Text.ts"
import * as Timestamp from "./Timestamp.ts"

/** A row of the audit log as callers see it (interface, Activity item). */
export const ActivityItem = Schema.Struct({
  id: Id,
  project_id: Schema.NullOr(Id).annotations({ description: "null for rows of the whole brain" }),
  project_slug: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(Id),
  action: Schema.String,
  target_type: Schema.String,
  target_id: Schema.NullOr(Schema.String),
  result: Schema.String,
  outcome: Schema.NullOr(Schema.String),
  metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  source_ip: Schema.NullOr(Schema.String).annotations({ description: "null for callers who are not global admins" }),
  occurred_at: Timestamp.Timestamp
}).annotations({ identifier: "ActivityItem" })
export type ActivityItem = typeof ActivityItem.Type

export type ActivityField = keyof ActivityItem

/** The columns of exports, in this order. */
// the cast: keys of the struct above, which Object.keys types as string
export const activityFields = Object.keys(ActivityItem.fields) as ReadonlyArray<ActivityField>

export const ActivityList = Schema.Struct({
  items: Schema.Array(ActivityItem),
  next_before_cursor: Schema.NullOr(Schema.String),
  newest_cursor: Schema.NullOr(Schema.String)
}).annotations({ identifier: "ActivityList" })
export type ActivityList = typeof ActivityList.Type

/** A place in the audit log: that of a row, whether it is still there or not. */
export const ActivityCursor = Schema.Struct({ occurred_at: Timestamp.Timestamp, id: GivenId })
export type ActivityCursor = typeof ActivityCursor.Type

/** `<iso_occurred_at>|<row_id>` (interface, Activity item). */
export const encodeCursor = ({ id, occurred_at }: Pick<ActivityItem, "id" | "occurred_at">): string =>
  `${occurred_at}|${id}`

const QueryCursor = Schema.compose(
  Schema.transform(text(128), Schema.Struct({ occurred_at: Schema.String, id: Schema.String }), {
    strict: true,
    decode: (given) => {
      const bar = given.indexOf("|")
      // a plus sign that was not encoded arrives as a space
      return { occurred_at: given.slice(0, bar).replace(/ (\d\d:\d\d)$/, "+$1"), id: given.slice(bar + 1) }
    },
    encode: ({ id, occurred_at }) => `${occurred_at}|${id}`
  }),
  ActivityCursor
).annotations({ jsonSchema: { type: "string", maxLength: 128 } })

/** The query of `GET /activity`. */
export const ListActivity = Schema.Struct({
  limit: wholeOr(1, 200, 50),
  since_cursor: Schema.optional(QueryCursor),
  before_cursor: Schema.optional(QueryCursor),
  action_prefix: Schema.optional(text(80)),
  project_slug: Schema.optional(text(80))
})
export type ListActivity = typeof ListActivity.Type

/** The query of `GET /projects/{slug}/audit`. */
export const ListAudit = Schema.Struct({
  action_prefix: Schema.optional(text(80)),
  outcome: Schema.optional(text(20)),
  user_id: Schema.optional(GivenId),
  since: Schema.optional(QueryTimestamp),
  cursor: Schema.optional(Schema.String),
  limit: Schema.optional(QueryLimit),
  format: Schema.optional(ExportFormat),
  fields: Schema.optional(text(400))
})
export type ListAudit = typeof ListAudit.Type

export const AuditPage = Page(ActivityItem).annotations({ identifier: "AuditPage" })
