import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { caseInsensitiveId, UserId } from "../kernel/Id.ts"
import { QueryTimestamp } from "../kernel/Query.ts"
import { nullish, text } from "../kernel/Text.ts"
import { activityFields } from "./Activity.ts"
import { ExportJobFormat } from "./ExportJob.ts"

/** bodies: ExportJobCreate. The terms are those of the audit list. */
export const ExportJobCreate = Schema.Struct({
  format: describeField(ExportJobFormat, "The kind of file.", "csv"),
  action_prefix: describeField(nullish(text(80)), "The beginning of the action, case-sensitive.", "task."),
  outcome: describeField(nullish(text(20)), "`allow` or `deny`.", "deny"),
  user_id: describeField(nullish(caseInsensitiveId(UserId)), "Who did it.", exampleId),
  target_id: describeField(nullish(text(200)), "What it was done to: a command's id, a rule's id.", exampleId),
  since: describeField(nullish(QueryTimestamp), "Lower bound, included; a date-time with its offset.", exampleTime),
  fields: describeField(
    nullish(
      Schema.Array(Schema.Literal(...activityFields)).pipe(Schema.minItems(1), Schema.maxItems(20))
    ),
    "The columns and their order; all of them when absent.",
    ["occurred_at", "action"]
  )
}).annotations(describeBody("ExportJobCreate", "An export of the project's audit log."))
export type ExportJobCreate = typeof ExportJobCreate.Type

/** The file of an export with the format json. */
export const ExportedAuditRows = Schema.Array(
  Schema.Struct({
    action: describeField(
      Schema.optional(Schema.String),
      "What was done; further members as `fields` names them.",
      "task.bulk_deleted"
    )
  })
).annotations(describeBody("ExportedAuditRows", "All rows, newest first, with the members that `fields` names."))
