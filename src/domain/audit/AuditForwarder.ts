import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../kernel/Describe.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** bodies: AuditForwarderStatus. The queue is in memory and of one process, so the members speak for that process. */
export const AuditForwarderStatus = Schema.Struct({
  enabled: describeField(Schema.Boolean, "Whether `SVC_AUDIT_WEBHOOK_URL` is set.", true),
  sink_id: describeField(
    Schema.String,
    "Identifies the receiver without its address: the same for all replicas with the same URL. `none` when disabled.",
    "webhook-5f1c9a0b7e2d4c68"
  ),
  worker: describeField(Schema.String, "Host and process id of the process that responds.", "web-1:4711"),
  cursor_initialised: describeField(Schema.Boolean, "Whether this process has delivered a row yet.", true),
  cursor_occurred_at: describeField(
    Schema.NullOr(Timestamp),
    "When the last row that this process delivered occurred.",
    exampleTime
  ),
  cursor_id: describeField(
    Schema.NullOr(Schema.String),
    "Id of the last row that this process delivered.",
    "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10"
  ),
  lag_rows: describeField(Schema.NullOr(Schema.Int), "Rows that wait in this process; null when disabled.", 0),
  last_attempt_at: describeField(Schema.NullOr(Timestamp), "When this process last posted a row.", exampleTime),
  last_success_at: describeField(Schema.NullOr(Timestamp), "When the receiver last responded with 2xx.", exampleTime),
  consecutive_failures: describeField(Schema.Int, "Posts that failed since the last success.", 0),
  backoff_seconds_remaining: describeField(
    Schema.Number,
    "Always 0: a row that fails is dropped, and the next one is posted at once.",
    0
  ),
  batch_size: describeField(Schema.Int, "Always 1: one row a post.", 1),
  poll_interval_seconds: describeField(Schema.Number, "Always 0: rows are posted as they are written.", 0),
  max_backoff_seconds: describeField(Schema.Number, "Always 0, as `backoff_seconds_remaining`.", 0),
  buffer_size: describeField(Schema.Int, "Rows that may wait (`SVC_AUDIT_WEBHOOK_BUFFER_SIZE`).", 1000),
  updated_at: describeField(Schema.NullOr(Timestamp), "When these members last changed; null: never.", exampleTime),
  process_sent_count: describeField(
    Schema.NullOr(Schema.Int),
    "Rows that this process delivered since it started; null when disabled.",
    1204
  ),
  process_failed_count: describeField(
    Schema.NullOr(Schema.Int),
    "Rows that this process dropped since it started, also those that found the queue full; null when disabled.",
    0
  )
}).annotations(describeBody("AuditForwarderStatus", "The state of the audit webhook of the process that responds."))
export type AuditForwarderStatus = typeof AuditForwarderStatus.Type
