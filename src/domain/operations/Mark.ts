import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { Id } from "../kernel/Id.ts"
import { strictQuery } from "../kernel/Query.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { timeRangeQuery } from "./Deploy.ts"

export const MarkKind = Schema.Literal("deploy", "command", "rule", "missed_run", "maintenance")

/** What happened in a project at a time that its charts show. */
export const Mark = Schema.Struct({
  kind: describeField(
    MarkKind,
    "What it is: a deploy, commands of users, what a rule did, a run that a schedule missed, or a maintenance window.",
    "deploy"
  ),
  id: describeField(
    Id,
    "Of the deploy, command, rule, schedule or window. Of several commands: of the newest one.",
    exampleId
  ),
  at: describeField(Timestamp, "When it happened; of several: the first.", exampleTime),
  until: describeField(Schema.NullOr(Timestamp), "When it ended, or the last of several; null: a moment.", null),
  title: describeField(Schema.String, "The version, the command's action, or the name.", "v1.4.2"),
  detail: describeField(
    Schema.NullOr(Schema.String),
    "The note of the deploy, the target of a command that has a name, the rule's action, or why the run was missed.",
    null
  ),
  url: describeField(Schema.NullOr(Schema.String), "Of a deploy: where to read about it.", null),
  count: describeField(Schema.Int, "How many happened close together, of one action, rule or schedule.", 1)
}).annotations(describeBody("Mark", "What happened in the project at a time."))
export type Mark = typeof Mark.Type

/** The query of `GET /projects/{slug}/marks`. */
export const ListMarks = Schema.Struct(timeRangeQuery).annotations(strictQuery)
export type ListMarks = typeof ListMarks.Type

export const Marks = Schema.Struct({
  from: describeField(Timestamp, "The beginning of the time: `from`, or 24 hours before its end.", exampleTime),
  to: describeField(Timestamp, "The end of the time: `to`, or now.", exampleTime),
  items: describeField(Schema.Array(Mark), "The marks, oldest first."),
  truncated: describeField(
    Schema.Boolean,
    "Whether a kind has more than are read, of which the newest are here.",
    false
  )
}).annotations(describeBody("Marks", "What happened in a project over a time."))
export type Marks = typeof Marks.Type

/** Marks of one group this close together are one: a chart has at most so many places. */
const places = 240

/**
 * Marks of one kind and title that are close together, as one: a thousand retries of a minute are one mark.
 * `rows` are newest first; so is the result.
 */
export const mergeMarks = (rows: ReadonlyArray<Mark>, rangeMillis: number): ReadonlyArray<Mark> => {
  const gap = Math.max(60_000, rangeMillis / places)
  const merged: Array<Mark> = []
  const lastOf = new Map<string, number>()
  for (const row of rows) {
    const key = JSON.stringify([row.kind, row.title])
    const index = lastOf.get(key)
    const later = index === undefined ? undefined : merged[index]
    if (index === undefined || later === undefined || Date.parse(later.at) - Date.parse(row.at) > gap) {
      lastOf.set(key, merged.push(row) - 1)
    } else {
      merged[index] = {
        ...later,
        at: row.at,
        until: later.until ?? later.at,
        detail: later.detail === row.detail ? row.detail : null,
        count: later.count + row.count
      }
    }
  }
  return merged
}
