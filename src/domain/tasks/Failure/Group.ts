import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../../kernel/Describe.ts"
import { caseInsensitiveId, UserId } from "../../kernel/Id.ts"
import { Page } from "../../kernel/Page.ts"
import { wholeNumber } from "../../kernel/Query.ts"
import { text } from "../../kernel/Text.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { Task } from "../Task.ts"
import { triageFields } from "./Triage.ts"

/** Whether a task that failed still needs someone: it has neither succeeded since nor been withdrawn. */
export const isOpenFailure = (state: string): boolean =>
  state !== "success" && state !== "revoked" && state !== "rejected"

export const GroupStatus = Schema.Literal("ongoing", "recovered")

/** Which groups a list has. `ongoing` and `recovered` are those of the groups that are neither muted nor resolved. */
export const GroupFilter = Schema.Literal(...GroupStatus.literals, "regressed", "muted", "resolved", "all")
export type GroupFilter = typeof GroupFilter.Type

export const GroupSort = Schema.Literal("last_seen", "first_seen", "count", "escalating")
export type GroupSort = typeof GroupSort.Type

export const FailureWindow = Schema.Struct({
  since: describeField(
    Timestamp,
    "Where it begins: at a full minute, from 24 hours on at a full hour, from 30 days on at a day.",
    exampleTime
  ),
  bucket_seconds: describeField(Schema.Int, "The length of a bucket, which begins at a multiple of it.", 3600),
  occurrences: describeField(Schema.Int, "Failed attempts in it: the sum of `counts`.", 9),
  counts: describeField(
    Schema.Array(Schema.Int),
    "Failed attempts of each bucket, oldest first; the first begins at `since`, the last has not ended.",
    [0, 2, 7]
  )
}).annotations(describeBody("FailureWindow", "Failed attempts of a failure group in the window of the request."))
export type FailureWindow = typeof FailureWindow.Type

const exampleWindow = {
  since: Schema.decodeSync(Timestamp)(exampleTime),
  bucket_seconds: 3600,
  occurrences: 9,
  counts: [0, 2, 7]
}

const groupFields = {
  fingerprint: describeField(
    Schema.String,
    "16 hexadecimal digits: engine, task name, exception type and place of the failure.",
    "9f2c41d07be5a836"
  ),
  status: describeField(GroupStatus, "`ongoing` while `open_count` is not 0.", "ongoing"),
  occurrences: describeField(Schema.Int, "Failed attempts.", 42),
  open_count: describeField(Schema.Int, "Tasks that failed and have neither recovered nor been revoked.", 3),
  recovered_count: describeField(Schema.Int, "Tasks that failed and succeeded later, or whose retry did.", 39),
  first_seen: describeField(Schema.NullOr(Timestamp), "When the first of its failures happened.", exampleTime),
  last_seen: describeField(Schema.NullOr(Timestamp), "When the last of its failures happened.", exampleTime),
  engine_count: describeField(Schema.Int, "The number of `engines`.", 1),
  engines: describeField(Schema.Array(Schema.String), "The engine of its tasks.", ["celery"]),
  sample_exception: describeField(
    Schema.NullOr(Schema.String),
    "The beginning of the exception of its last failure.",
    "ValueError: no such order"
  ),
  sample_task_name: describeField(Schema.NullOr(Schema.String), "The name of its tasks.", "shop.pay"),
  window: describeField(
    Schema.NullOr(FailureWindow),
    "Its failed attempts within `hours`; null in a list without `hours`. All other fields are of all time.",
    exampleWindow
  ),
  ...triageFields
}

/** Failures that are the same failure (bodies: IssuePublic). */
export const FailureGroup = Schema.Struct(groupFields).annotations(
  describeBody("FailureGroup", "Failures with one fingerprint.")
)
export type FailureGroup = typeof FailureGroup.Type

export const FailureGroupList = Page(FailureGroup).annotations(
  describeBody("FailureGroupList", "A page of failure groups.")
)

const Share = Schema.Struct({
  name: describeField(Schema.NullOr(Schema.String), "The name; null where the engine reports none.", "celery@box-1"),
  tasks: describeField(Schema.Int, "Its tasks among those counted.", 12)
})
export type Share = typeof Share.Type

const GroupHour = Schema.Struct({
  hour: describeField(Timestamp, "The beginning of the hour.", exampleTime),
  occurrences: describeField(Schema.Int, "Failed attempts in it.", 7)
})
export type GroupHour = typeof GroupHour.Type

export const SampleTask = Task.pick("engine", "task_id", "state", "exception", "traceback")

export const FailureGroupDetail = Schema.Struct({
  ...groupFields,
  hours: describeField(
    Schema.Array(GroupHour),
    "Failed attempts per hour, oldest first; hours without any are absent.",
    [{ hour: exampleTime, occurrences: 7 }]
  ),
  sample_task: describeField(
    Schema.NullOr(SampleTask),
    "The task of its last failure; null when it was deleted.",
    { engine: "celery", task_id: "7f3c", state: "failure", exception: "ValueError: no such order", traceback: null }
  ),
  workers: describeField(Schema.Array(Share), "The workers of its newest 100 tasks, the most frequent first.", [
    { name: "celery@box-1", tasks: 12 }
  ]),
  queues: describeField(Schema.Array(Share), "The queues of its newest 100 tasks, the most frequent first.", [
    { name: "orders", tasks: 12 }
  ])
}).annotations(describeBody("FailureGroupDetail", "A failure group with its hours and a sample."))
export type FailureGroupDetail = typeof FailureGroupDetail.Type

const maxHours = 8760

/** The query of `GET /projects/{slug}/issues`. */
export const ListFailureGroups = Schema.Struct({
  engine: describeField(Schema.optional(text(40)), "The engine, in lower case.", "celery"),
  status: describeField(
    Schema.optional(GroupFilter),
    "`ongoing`, `recovered`, `regressed`, `muted`, `resolved` or `all`; unless given, all that are neither muted nor " +
      "resolved. `ongoing` and `recovered` leave those out too.",
    "ongoing"
  ),
  assignee: describeField(
    Schema.optional(
      Schema.Union(Schema.Literal("me", "none"), caseInsensitiveId(UserId)).annotations({
        jsonSchema: { type: "string" }
      })
    ),
    "A user's id, `me`, or `none`: groups without an assignee.",
    "me"
  ),
  search: describeField(
    Schema.optional(text(200, 1)),
    "Part of the task's name or of the exception; the letters A to Z in either case.",
    "CardDeclined"
  ),
  sort: describeField(
    Schema.optional(GroupSort),
    "`last_seen` unless given, `first_seen`, `count` (within `hours`, else of all time) or `escalating` (those that " +
      "escalate first). All descending. All but `last_seen` sort the 1000 groups that failed last.",
    "count"
  ),
  hours: describeField(
    Schema.optional(wholeNumber(1, maxHours)),
    "Only groups that failed within this many hours, with their `window`.",
    24
  ),
  cursor: describeField(
    Schema.optional(Schema.String),
    "`next_cursor` of the page before.",
    "WyJpc3N1ZXMiLCIyMDI2Il0"
  ),
  limit: describeField(Schema.optional(wholeNumber(1, 200)), "Rows of a page.", 50)
})
export type ListFailureGroups = typeof ListFailureGroups.Type

/** The query of `GET /projects/{slug}/issues/{fingerprint}`. */
export const FindFailureGroup = Schema.Struct({
  hours: describeField(
    Schema.optional(wholeNumber(1, maxHours)),
    "How many hours back `hours` and `window` reach.",
    168
  )
})
