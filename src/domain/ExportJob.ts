import { Schema } from "effect"
import { activityFields } from "./Activity.ts"
import { describeBody, describeField, exampleId, exampleTime } from "./Describe.ts"
import { caseInsensitiveId, ExportJobId, ProjectId, UserId } from "./Id.ts"
import { QueryTimestamp } from "./Query.ts"
import { nullish, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

export const ExportJobFormat = Schema.Literal("csv", "json", "xlsx")

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

export const ExportJobStatus = Schema.Literal("pending", "running", "completed", "failed")

/** bodies: ExportJobPublic. */
export const ExportJob = Schema.Struct({
  id: describeField(ExportJobId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  user_id: describeField(UserId, "Who created it.", exampleId),
  export_type: describeField(Schema.Literal("audit"), "What is exported: `audit`.", "audit"),
  format: describeField(ExportJobFormat, "The kind of file.", "csv"),
  filters: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "The terms of the request that were given.",
    { action_prefix: "task." }
  ),
  status: describeField(
    ExportJobStatus,
    "`pending`: no process writes it yet, or the one that wrote it was stopped; `running`: being written, or begun again after its process died; `completed`; `failed`: `error` says why.",
    "completed"
  ),
  row_count: describeField(Schema.NullOr(Schema.Int), "Rows of the file; null until it is known.", 1204),
  size_bytes: describeField(
    Schema.NullOr(Schema.Int),
    "Bytes that are written so far; null before it begins and after it failed.",
    262144
  ),
  truncated: describeField(
    Schema.Boolean,
    "Whether more rows match than a file may hold (`SVC_AUDIT_EXPORT_JOB_MAX_ROWS`); the newest ones are in it.",
    false
  ),
  sink: describeField(Schema.NullOr(Schema.String), "Where the file is: always `database`.", "database"),
  location: describeField(
    Schema.NullOr(Schema.String),
    "The path that downloads the file; null while there is none.",
    `/api/v1/projects/shop/audit/export-jobs/${exampleId}/download`
  ),
  error: describeField(Schema.NullOr(Schema.String), "Why it failed.", null),
  created_at: describeField(Timestamp, "When it was requested.", exampleTime),
  started_at: describeField(Schema.NullOr(Timestamp), "When its last attempt began.", exampleTime),
  completed_at: describeField(Schema.NullOr(Timestamp), "When it was completed or failed.", exampleTime),
  downloadable: describeField(Schema.Boolean, "Whether its file can be downloaded.", true)
}).annotations(describeBody("ExportJob", "An export of the audit log in the background."))
export type ExportJob = typeof ExportJob.Type

export const ExportJobList = Schema.Struct({
  items: describeField(Schema.Array(ExportJob), "Newest first."),
  sink: describeField(Schema.NullOr(Schema.String), "Where files are: always `database`.", "database"),
  sink_location: describeField(
    Schema.NullOr(Schema.String),
    "Always null: files are in the brain's own database.",
    null
  )
}).annotations(describeBody("ExportJobList", "Exports of the audit log."))
