import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { caseInsensitiveId, Id, IdInput, ProjectId, UserId } from "../kernel/Id.ts"
import { Page } from "../kernel/Page.ts"
import { exportFormat, pageQuery, QueryTimestamp, wholeNumber } from "../kernel/Query.ts"
import { text } from "../kernel/Text.ts"
import * as Timestamp from "../kernel/Timestamp.ts"

/** A row of the audit log as callers see it (interface, Activity item). */
export const ActivityItem = Schema.Struct({
  id: describeField(Id, "Its id.", exampleId),
  project_id: describeField(
    Schema.NullOr(ProjectId).annotations({ description: "null for rows of the whole brain" }),
    "The project's id; null for rows of the whole brain.",
    exampleId
  ),
  project_slug: describeField(Schema.NullOr(Schema.String), "The project's slug.", "shop"),
  user_id: describeField(Schema.NullOr(UserId), "Who did it; null: the program.", exampleId),
  action: describeField(Schema.String, "What was done.", "task.bulk_deleted"),
  target_type: describeField(Schema.String, "The kind of what it was done to.", "task"),
  target_id: describeField(Schema.NullOr(Schema.String), "Its id.", exampleId),
  result: describeField(Schema.String, "`success` or `failure`.", "success"),
  outcome: describeField(Schema.NullOr(Schema.String), "`allow` or `deny`.", "allow"),
  metadata: describeField(Schema.Record({ key: Schema.String, value: Schema.Unknown }), "More about the action.", {
    deleted_count: 3
  }),
  source_ip: describeField(
    Schema.NullOr(Schema.String).annotations({ description: "null for callers who are not global admins" }),
    "The caller's address; null for readers who are not global admins.",
    "203.0.113.7"
  ),
  occurred_at: describeField(Timestamp.Timestamp, "When it was done.", exampleTime)
}).annotations(describeBody("ActivityItem", "A row of the audit log."))
export type ActivityItem = typeof ActivityItem.Type

export type ActivityField = keyof ActivityItem

/** The columns of exports, in this order. */
// the cast: keys of the struct above, which Object.keys types as string
export const activityFields = Object.keys(ActivityItem.fields) as ReadonlyArray<ActivityField>

/** A row in the feed, whose readers include members who may not list the project's people. */
export const FeedItem = Schema.Struct({
  ...ActivityItem.fields,
  user_name: describeField(
    Schema.NullOr(Schema.String),
    "The name that this person shows to others; null: none, or neither a member of the project nor a global admin.",
    "Ada Lovelace"
  ),
  target_name: describeField(
    Schema.NullOr(Schema.String),
    "The name of what it was done to: of a task the task's, of a command that of its target; null: it has none, or is gone.",
    "shop.pay"
  )
}).annotations(describeBody("FeedItem", "A row of the activity feed."))

export const ActivityList = Schema.Struct({
  items: describeField(Schema.Array(FeedItem), "The rows, newest first."),
  next_before_cursor: describeField(
    Schema.NullOr(Schema.String),
    "`before_cursor` of the next older page; null on the last page.",
    "2026-01-31T09:26:53.589793Z|0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10"
  ),
  newest_cursor: describeField(
    Schema.NullOr(Schema.String),
    "`since_cursor` of the next request.",
    "2026-01-31T09:26:53.589793Z|0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10"
  )
}).annotations(describeBody("ActivityList", "A page of the activity feed."))
export type ActivityList = typeof ActivityList.Type

/** A place in the audit log: that of a row, whether it is still there or not. */
export const ActivityCursor = Schema.Struct({ occurred_at: Timestamp.Timestamp, id: IdInput })
export type ActivityCursor = typeof ActivityCursor.Type

/** `<iso_occurred_at>|<row_id>` (interface, Activity item). */
export const encodeActivityCursor = ({ id, occurred_at }: Pick<ActivityItem, "id" | "occurred_at">): string =>
  `${occurred_at}|${id}`

const QueryCursor = Schema.compose(
  Schema.transform(text(128), Schema.Struct({ occurred_at: Schema.String, id: Schema.String }), {
    strict: true,
    decode: (text) => {
      const bar = text.indexOf("|")
      // a plus sign that was not encoded arrives as a space
      return { occurred_at: text.slice(0, bar).replace(/ (\d\d:\d\d)$/, "+$1"), id: text.slice(bar + 1) }
    },
    encode: ({ id, occurred_at }) => `${occurred_at}|${id}`
  }),
  ActivityCursor
).annotations({ jsonSchema: { type: "string", maxLength: 128 } })

const actionPrefix = describeField(
  Schema.optional(text(80)),
  "The beginning of the action, case-sensitive.",
  "task."
)

/** The query of `GET /activity`. */
export const ListActivity = Schema.Struct({
  limit: describeField(Schema.optional(wholeNumber(1, 200)), "Rows of a page.", 50),
  since_cursor: describeField(
    Schema.optional(QueryCursor),
    "Rows newer than this place: `newest_cursor` of the last response.",
    { occurred_at: exampleTime, id: exampleId }
  ),
  before_cursor: describeField(
    Schema.optional(QueryCursor),
    "Rows older than this place: `next_before_cursor` of the page before.",
    { occurred_at: exampleTime, id: exampleId }
  ),
  action_prefix: actionPrefix,
  user_id: describeField(Schema.optional(caseInsensitiveId(UserId)), "Who did it.", exampleId),
  by: describeField(
    Schema.optional(Schema.Literal("people")),
    "`people`: only what users and automation rules did, and nothing of agents and of the program.",
    "people"
  ),
  project_slug: describeField(Schema.optional(text(80)), "One project; an unknown one has no rows.", "shop")
})
export type ListActivity = typeof ListActivity.Type

/** The query of `GET /projects/{slug}/audit`. */
export const ListAudit = Schema.Struct({
  action_prefix: actionPrefix,
  outcome: describeField(Schema.optional(text(20)), "`allow` or `deny`.", "deny"),
  user_id: describeField(Schema.optional(caseInsensitiveId(UserId)), "Who did it.", exampleId),
  target_id: describeField(Schema.optional(text(200)), "What it was done to: a command's id, a rule's id.", exampleId),
  since: describeField(
    Schema.optional(QueryTimestamp),
    "Lower bound, included; a date-time with its offset.",
    exampleTime
  ),
  ...pageQuery,
  format: exportFormat,
  fields: describeField(
    Schema.optional(text(400)),
    "The columns and their order, with commas between them.",
    "name,state"
  )
})
export type ListAudit = typeof ListAudit.Type

export const AuditPage = Page(ActivityItem).annotations(describeBody("AuditPage", "A page of the audit log."))
