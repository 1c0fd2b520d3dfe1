import { Schema } from "effect"
import { ExportJobFormat, ExportJobStatus } from "../../../domain/audit/ExportJob.ts"
import { ExportJobId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { JsonColumn } from "../../kernel/sql/ColumnTypes.ts"

/** A row of `export_jobs`. `filters` are the terms of the request that were given. */
export const JobRow = Schema.Struct({
  id: ExportJobId,
  project_id: ProjectId,
  user_id: UserId,
  shows_hidden: Schema.Number,
  format: ExportJobFormat,
  filters: JsonColumn(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  status: ExportJobStatus,
  attempts: Schema.Number,
  total_rows: Schema.NullOr(Schema.Number),
  row_count: Schema.NullOr(Schema.Number),
  size_bytes: Schema.NullOr(Schema.Number),
  truncated: Schema.Number,
  error: Schema.NullOr(Schema.String),
  created_at: Timestamp.Timestamp,
  started_at: Schema.NullOr(Timestamp.Timestamp),
  completed_at: Schema.NullOr(Timestamp.Timestamp)
})
export type JobRow = typeof JobRow.Type

export const encodeFilters = Schema.encodeSync(JobRow.fields.filters)
