import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { ExportJobId, ProjectId, UserId } from "../kernel/Id.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

export const ExportJobFormat = Schema.Literal("csv", "json", "xlsx")

export const ExportJobStatus = Schema.Literal("pending", "running", "completed", "failed")

/** bodies: ExportJobPublic. */
export const ExportJob = Schema.Struct({
  id: describeField(ExportJobId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  user_id: describeField(UserId, "Who created it.", exampleId),
  export_type: describeField(
    Schema.Literal("audit", "tasks"),
    "What is exported: the log (`audit`), or `tasks`.",
    "audit"
  ),
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
  total_rows: describeField(
    Schema.NullOr(Schema.Int),
    "Rows that the file is to have; null until they are counted, and after it failed. An xlsx file is counted at its end.",
    1204
  ),
  row_count: describeField(
    Schema.NullOr(Schema.Int),
    "Rows that are written so far; in the end those of the file. Null before it begins and after it failed.",
    1204
  ),
  size_bytes: describeField(
    Schema.NullOr(Schema.Int),
    "Bytes that are written so far; null before it begins and after it failed.",
    262144
  ),
  truncated: describeField(
    Schema.Boolean,
    "Whether more rows match than a file may hold (`SVC_AUDIT_EXPORT_JOB_MAX_ROWS`, `SVC_TASKS_EXPORT_JOB_MAX_ROWS`); the newest ones are in it.",
    false
  ),
  sink: describeField(Schema.NullOr(Schema.String), "Where the file is: always `database`.", "database"),
  location: describeField(
    Schema.NullOr(Schema.String),
    "The path that downloads the file; null while there is none, or where the caller may not.",
    `/api/v1/projects/shop/audit/export-jobs/${exampleId}/download`
  ),
  error: describeField(Schema.NullOr(Schema.String), "Why it failed.", null),
  created_at: describeField(Timestamp, "When it was requested.", exampleTime),
  started_at: describeField(Schema.NullOr(Timestamp), "When its last attempt began.", exampleTime),
  completed_at: describeField(Schema.NullOr(Timestamp), "When it was completed or failed.", exampleTime),
  downloadable: describeField(Schema.Boolean, "Whether the caller can download its file.", true)
}).annotations(describeBody("ExportJob", "An export in the background."))
export type ExportJob = typeof ExportJob.Type

export const ExportJobList = Schema.Struct({
  items: describeField(Schema.Array(ExportJob), "Newest first."),
  sink: describeField(Schema.NullOr(Schema.String), "Where files are: always `database`.", "database"),
  sink_location: describeField(
    Schema.NullOr(Schema.String),
    "Always null: files are in the brain's own database.",
    null
  )
}).annotations(describeBody("ExportJobList", "Exports in the background."))
